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

/**
 * The time `ms` milliseconds from now, by the database's clock. The cast is needed because PostgreSQL cannot infer the
 * type of a parameter in an expression.
 */
export function msFromNow(kind: DatabaseKind, ms: number): RawBuilder<number> {
  return sql<number>`${databaseNow(kind)} + cast(${ms} as bigint)`;
}
