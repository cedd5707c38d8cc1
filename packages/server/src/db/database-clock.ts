import { type RawBuilder, sql } from "kysely";
import type { DatabaseKind } from "./database-kind.ts";

/**
 * The database's clock, in milliseconds since 1970: the one that processes sharing a database agree on. Within a
 * transaction of PostgreSQL it stands still, so that an index can be searched by it.
 */
export function databaseNow(kind: DatabaseKind): RawBuilder<number> {
  return kind === "sqlite"
    ? sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
    : sql<number>`cast(extract(epoch from transaction_timestamp()) * 1000 as bigint)`;
}
