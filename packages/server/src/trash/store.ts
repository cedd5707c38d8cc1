import type { TrashQuery } from "@foyer/contract";
import { sql } from "kysely";
import type { TrashRow } from "../db/tables/trash.ts";
import type { Deps } from "../deps.ts";

export type ListedRow = Omit<TrashRow, "content"> & { title: string | null; agentName: string; isAgentInTrash: 0 | 1 };

export function createTrashStore({ db, reads }: Pick<Deps, "db" | "reads">) {
  return {
    /** Most recently deleted first. */
    async list(
      organizationId: string,
      { kind, agentId }: Pick<TrashQuery, "kind" | "agentId">,
      { limit, offset }: { limit: number; offset: number },
    ): Promise<{ rows: ListedRow[]; total: number }> {
      const all = db
        .selectFrom("trash")
        .where("trash.organizationId", "=", organizationId)
        .where("trash.isPurging", "=", 0)
        .$if(kind !== undefined, (query) => query.where("trash.kind", "=", kind ?? "agent"))
        .$if(agentId !== undefined, (query) => query.where("trash.agentId", "=", agentId ?? ""));
      const options = { lane: "list", owner: organizationId } as const;
      const page = all
        .innerJoin("agents", "agents.id", "trash.agentId")
        .leftJoin("conversations", "conversations.id", "trash.conversationId")
        .leftJoin("documents", "documents.id", "trash.documentId")
        .select(["trash.id", "trash.organizationId", "trash.agentId", "trash.kind", "trash.conversationId"])
        .select(["trash.documentId", "trash.name", "trash.trashedBy", "trash.trashedAt", "trash.isPurging"])
        .select(["agents.name as agentName"])
        .select(sql<string | null>`coalesce(conversations.title, documents.title)`.as("title"))
        .select(sql<0 | 1>`case when agents."deletedAt" is null then 0 else 1 end`.as("isAgentInTrash"))
        .orderBy("trash.trashedAt", "desc")
        .orderBy("trash.id", "desc");
      const rows: ListedRow[] = await reads.run(page.limit(limit).offset(offset), options);
      const [counted] = await reads.run(
        all.select((x) => x.fn.countAll<number>().as("n")),
        options,
      );
      return { rows, total: Number(counted?.n ?? 0) };
    },
    /** Begins the permanent deletion of one entry, or of all. @returns the number of entries */
    async beginPurge(organizationId: string, id?: string): Promise<number> {
      const { numUpdatedRows } = await db
        .updateTable("trash")
        .set({ isPurging: 1 })
        .where("organizationId", "=", organizationId)
        .where("isPurging", "=", 0)
        .$if(id !== undefined, (query) => query.where("id", "=", id ?? ""))
        .executeTakeFirst();
      return Number(numUpdatedRows);
    },
  };
}
