import { type RawBuilder, sql } from "kysely";
import type { DatabaseKind } from "./database-kind.ts";

/**
 * The database's clock in milliseconds since 1970, which all processes that share a database agree on. In PostgreSQL it
 * is the start of the transaction, so it is constant within a statement and can be compared through an index.
 */
export function databaseNow(kind: DatabaseKind): RawBuilder<number> {
  return kind === "sqlite"
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from transaction_timestamp()) * 1000 as bigint)`;
}
