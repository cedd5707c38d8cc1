import type { Db } from "../db/open.ts";
import type { ToolErrorRow } from "../db/tables.ts";

export function createToolErrorStore(db: Db) {
  return {
    async put(row: ToolErrorRow): Promise<void> {
      const { toolId: _, ...changes } = row;
      await db
        .insertInto("toolErrors")
        .values(row)
        .onConflict((conflict) => conflict.column("toolId").doUpdateSet(changes))
        .execute();
    },
    async recover(toolId: string, now: number): Promise<void> {
      const error = db.updateTable("toolErrors").set({ recoveredAt: now }).where("toolId", "=", toolId);
      await error.where("recoveredAt", "is", null).execute();
    },
    async list(organizationId: string, agentId: string): Promise<ToolErrorRow[]> {
      return db
        .selectFrom("toolErrors")
        .innerJoin("tools", "tools.id", "toolErrors.toolId")
        .selectAll("toolErrors")
        .where("tools.organizationId", "=", organizationId)
        .where("tools.agentId", "=", agentId)
        .execute();
    },
  };
}
