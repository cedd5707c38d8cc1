import type { CreateTableBuilder } from "kysely";

/** For migrations: a required foreign key. Deleting the referenced row deletes this row. */
export function belongsTo<const N extends string>(column: N, table: string) {
  return <T extends string, C extends string>(builder: CreateTableBuilder<T, C>) =>
    builder.addColumn(column, "text", (c) => c.notNull().references(`${table}.id`).onDelete("cascade"));
}
