import { type Kysely, sql } from "kysely";
import type { Tables } from "../tables.ts";

/** Characters that parts of addresses contain, and that hardly any name of a person does. */
const MARKS = [..."0123456789.+_"];

/**
 * Removes names that are the part of the email address before the @. They were the default, and visitors saw them. The
 * member enters a name instead. A name of letters only stays, because it can be the one that the member goes by.
 */
export async function namesFromAddresses(db: Kysely<Tables>): Promise<void> {
  const hasMark = sql.join(
    MARKS.map((mark) => sql`replace(name, ${sql.lit(mark)}, '') <> name`),
    sql` or `,
  );
  await sql`update users set name = ''
    where name <> '' and substr(email, 1, length(name) + 1) = name || '@' and (${hasMark})`.execute(db);
}
