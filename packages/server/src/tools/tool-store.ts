import { compileOnce } from "../db/compiled-query.ts";
import type { Db } from "../db/open.ts";
import type { ToolRow } from "../db/tables.ts";

export function createToolStore(db: Db) {
  const enabled = compileOnce<{ agentId: string }, ToolRow>((param) =>
    db.selectFrom("tools").selectAll().where("agentId", "=", param("agentId")).where("isEnabled", "=", 1).orderBy("id"),
  );
  return {
    /** What the agent may call, oldest first. */
    async enabled(agentId: string): Promise<ToolRow[]> {
      return (await enabled(db, { agentId })).rows;
    },
    async insert(row: ToolRow): Promise<void> {
      await db.insertInto("tools").values(row).execute();
    },
  };
}
