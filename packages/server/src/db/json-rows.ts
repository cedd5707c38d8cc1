import { sql } from "kysely";
import { compileOnce, type Executor } from "./compiled-query.ts";
import type { DatabaseKind } from "./database-kind.ts";
import type { Db } from "./open.ts";
import type { Tables } from "./tables.ts";

type ColumnTypes<Row> = { [Name in keyof Row]-?: "text" | "bigint" };

/**
 * Lets a query look up or update rows that are passed as one JSON parameter, created by `toJson`. One prepared
 * statement then handles any number of rows in one round trip.
 *
 * PostgreSQL expects 100 rows from every JSON text, and for so many it reads a table of up to 1,000 pages as a whole.
 * The `limit` tells it the actual number: without it, reading 16 submissions of 20,000 took 45 ms.
 * @param columns the property names with their types
 */
export function jsonRows<Row extends object>(kind: DatabaseKind, json: string, columns: ColumnTypes<Row>) {
  const rows = unboundedRows<Row>(kind, json, columns);
  if (kind === "sqlite") return rows;
  return sql<Row>`(select * from ${rows} limit json_array_length(${json}::json))`.as<"rows">(sql`rows`);
}

function unboundedRows<Row extends object>(kind: DatabaseKind, json: string, columns: ColumnTypes<Row>) {
  const entries = Object.entries<string>(columns);
  const names = sql.join(entries.map(([name, type]) => sql`${sql.ref(name)} ${sql.raw(type)}`));
  const values = sql.join(entries.map(([name]) => sql`value ->> ${sql.lit(name)} as ${sql.ref(name)}`));
  return kind === "sqlite"
    ? sql<Row>`(select ${values} from json_each(${json}))`.as<"rows">(sql`rows`)
    : sql<Row>`json_to_recordset(${json}::json)`.as<"rows">(sql`rows(${names})`);
}

/** The parameter for `jsonRows`. Replaces lone surrogates, which PostgreSQL rejects, with U+FFFD. */
export function toJson(rows: readonly object[]): string {
  const json = JSON.stringify(rows);
  if (!json.includes("\\ud")) return json;
  return JSON.stringify(rows, (_, value) => (typeof value === "string" ? value.toWellFormed() : value));
}

/**
 * Inserts any number of rows with one statement, for hot paths that insert many rows. `columns` lists every column of
 * the rows. Single rows use `compileOnce`: on SQLite, a row of 23 columns takes 30 µs from JSON and 7 µs from parameters.
 */
export function compileInsert<Row extends object>(
  { db, databaseKind }: { db: Db; databaseKind: DatabaseKind },
  table: keyof Tables,
  columns: ColumnTypes<Row>,
): (executor: Executor, rows: readonly Row[]) => Promise<void> {
  const names = Object.keys(columns) as never[];
  const insert = compileOnce<{ json: string }, never>((param) =>
    db
      .insertInto(table)
      .columns(names)
      .expression(db.selectFrom(unboundedRows<Row>(databaseKind, param("json"), columns)).select(names) as never),
  );
  return async (executor, rows) => {
    if (rows.length > 0) await insert(executor, { json: toJson(rows) });
  };
}
