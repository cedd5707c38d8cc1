import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/**
 * Removes names that are the part of the email address before the @. They were the default, and visitors saw them. The
 * member enters a name instead.
 */
export async function namesFromAddresses(db: Kysely<Tables>): Promise<void> {
  await sql`update users set name = '' where name <> '' and substr(email, 1, length(name) + 1) = name || '@'`.execute(
    db,
  );
}
