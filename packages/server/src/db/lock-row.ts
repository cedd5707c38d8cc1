import { sql, type Transaction } from "kysely";
import type { Tables } from "./tables.ts";

/** The key of each table, and a column outside of any key: writing a key would also stop inserts that refer to the row. */
const lockable = {
  organizations: { key: "id", column: "plan" },
  agents: { key: "id", column: "followUps" },
  agentCounters: { key: "agentId", column: "conversations" },
} as const;

/**
 * Locks a row until the transaction ends, by a write that changes nothing. Both databases then make the next transaction
 * that locks the row wait, so that only one at a time can count and insert.
 */
export async function lockRow(trx: Transaction<Tables>, table: keyof typeof lockable, id: string): Promise<void> {
  const { key, column } = lockable[table];
  const write = sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} where ${sql.ref(key)} = ${id}`;
  await write.execute(trx);
}
