import type { Transaction } from "kysely";
import { compileOnce } from "../db/compiled-query.ts";
import { lockRow } from "../db/lock-row.ts";
import type { Db } from "../db/open.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import { AppError } from "../errors.ts";
import { readLimits } from "../plans/plan-limits.ts";

/** The number of agents that are read and rendered between two turns of the event loop. */
const PAGE = 500;

export type AgentStore = ReturnType<typeof createAgentStore>;
export type AgentSummaryRow = Pick<AgentRow, "id" | "name" | "slug" | "model" | "createdAt">;

export function createAgentStore(db: Db) {
  const list = compileOnce<{ organizationId: string; after: string; limit: number }, AgentSummaryRow>((param) =>
    db
      .selectFrom("agents")
      .select(["id", "name", "slug", "model", "createdAt"])
      .where("organizationId", "=", param("organizationId"))
      .where("deletedAt", "is", null)
      .where("id", ">", param("after"))
      .orderBy("id")
      .limit(param("limit")),
  );
  const byId = compileOnce<{ id: string }, AgentRow>((param) =>
    db.selectFrom("agents").selectAll().where("id", "=", param("id")).where("deletedAt", "is", null),
  );
  return {
    /** Oldest first. */
    async *pages(organizationId: string): AsyncGenerator<AgentSummaryRow[]> {
      for (let after = ""; ; ) {
        const { rows } = await list(db, { organizationId, after, limit: PAGE });
        yield rows;
        after = rows.at(-1)?.id ?? "";
        if (rows.length < PAGE) return;
      }
    },
    async get(organizationId: string, id: string): Promise<AgentRow | undefined> {
      const row = (await byId(db, { id })).rows[0];
      return row?.organizationId === organizationId ? row : undefined;
    },
    /** For visitors, who know only the agent's id. */
    async getPublic(id: string): Promise<AgentRow | undefined> {
      return (await byId(db, { id })).rows[0];
    },
    /** The organization's slugs that equal this one or extend it with a number. */
    async slugsLike(organizationId: string, slug: string, exceptId: string | null): Promise<Set<string>> {
      const rows = await db
        .selectFrom("agents")
        .select("slug")
        .where("organizationId", "=", organizationId)
        .where((where) => where.or([where("slug", "=", slug), where("slug", "like", `${slug}-%`)]))
        .$if(exceptId !== null, (query) => query.where("id", "!=", exceptId))
        .execute();
      return new Set(rows.map((row) => row.slug));
    },
    /**
     * `alsoInTransaction` runs in the transaction that inserts the agent.
     * @throws 403 when the organization has as many agents as its plan allows
     */
    async insert(row: AgentRow, alsoInTransaction?: (trx: Transaction<Tables>) => Promise<void>): Promise<void> {
      await db.transaction().execute(async (trx) => {
        await checkAgentLimit(trx, row.organizationId);
        await trx.insertInto("agents").values(row).execute();
        await trx.insertInto("agentCounters").values({ agentId: row.id, conversations: 0 }).execute();
        await alsoInTransaction?.(trx);
      });
    },
    /** @returns undefined when the agent does not exist, or when its handoff settings differ from those in `agent` */
    async update(
      { organizationId, id, handoff }: Pick<AgentRow, "organizationId" | "id"> & Partial<Pick<AgentRow, "handoff">>,
      changes: Partial<AgentRow>,
    ): Promise<AgentRow | undefined> {
      return db
        .updateTable("agents")
        .set(changes)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("deletedAt", "is", null)
        .$if(handoff !== undefined, (query) => query.where("handoff", "=", handoff ?? ""))
        .returningAll()
        .executeTakeFirst();
    },
    /**
     * Hides the agent, its tools and its triggers from every reader and frees its slug. The row stays until everything
     * else that refers to it is deleted, see agent-deletion.ts. @returns false when there is no such agent
     */
    async hide(organizationId: string, id: string, now: number): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        const hidden = await trx
          .updateTable("agents")
          .set({ deletedAt: now, slug: id })
          .where("id", "=", id)
          .where("organizationId", "=", organizationId)
          .where("deletedAt", "is", null)
          .executeTakeFirst();
        if (hidden.numUpdatedRows === 0n) return false;
        await trx.deleteFrom("triggers").where("agentId", "=", id).execute();
        await trx.deleteFrom("tools").where("agentId", "=", id).execute();
        return true;
      });
    },
  };
}

/** Locks the organization, so that simultaneous requests cannot exceed the limit. */
async function checkAgentLimit(trx: Transaction<Tables>, organizationId: string): Promise<void> {
  await lockRow(trx, "organizations", organizationId);
  const organization = await trx
    .selectFrom("organizations")
    .select("plan")
    .where("id", "=", organizationId)
    .executeTakeFirst();
  const plan = organization?.plan ?? "";
  const { agents } = readLimits(plan);
  if (agents === null) return;
  const counted = await trx
    .selectFrom("agents")
    .select((x) => x.fn.countAll<number>().as("n"))
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .executeTakeFirst();
  if (Number(counted?.n ?? 0) < agents) return;
  throw new AppError(
    "AGENT_LIMIT_REACHED",
    `The plan ${plan} allows ${agents} agents. Delete one, or choose a larger plan.`,
  );
}
