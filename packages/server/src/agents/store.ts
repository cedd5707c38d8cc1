import type { Transaction } from "kysely";
import { compileOnce } from "../db/compiled-query.ts";
import { lockRow } from "../db/lock-row.ts";
import type { Db } from "../db/open.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import { AppError } from "../errors.ts";
import { readLimits } from "../plans/plan-limits.ts";
import { findFreeSlug } from "./slug.ts";

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
    /**
     * Adds the agent that `toRow` returns for a free slug, which is `slug` or extends it with a number.
     * `alsoInTransaction` runs in the transaction that inserts the agent.
     * @throws 403 when the organization has as many agents as its plan allows
     */
    async insert(
      { organizationId, slug }: Pick<AgentRow, "organizationId" | "slug">,
      toRow: (freeSlug: string) => AgentRow,
      alsoInTransaction?: (trx: Transaction<Tables>, inserted: AgentRow) => Promise<void>,
    ): Promise<AgentRow> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", organizationId);
        await checkAgentLimit(trx, organizationId);
        const row = toRow(findFreeSlug(slug, await readSlugs(trx, { organizationId, slug })));
        await trx.insertInto("agents").values(row).execute();
        await trx.insertInto("agentCounters").values({ agentId: row.id, conversations: 0 }).execute();
        await alsoInTransaction?.(trx, row);
        return row;
      });
    },
    /** @returns undefined when the agent does not exist, or when its handoff settings differ from those in `agent` */
    async update(agent: UpdatedAgent, changes: Partial<AgentRow>): Promise<AgentRow | undefined> {
      return update(db, agent, changes);
    },
    /** Like `update`, with a new name and the slug that follows from it: `slug`, or `slug` extended with a number. */
    async rename(
      agent: UpdatedAgent,
      { slug, ...changes }: Partial<AgentRow> & Pick<AgentRow, "name" | "slug">,
    ): Promise<AgentRow | undefined> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", agent.organizationId);
        const taken = await readSlugs(trx, { organizationId: agent.organizationId, slug, exceptId: agent.id });
        return update(trx, agent, { ...changes, slug: findFreeSlug(slug, taken) });
      });
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

type UpdatedAgent = Pick<AgentRow, "organizationId" | "id"> & Partial<Pick<AgentRow, "handoff">>;

function update(db: Db, { organizationId, id, handoff }: UpdatedAgent, changes: Partial<AgentRow>) {
  return db
    .updateTable("agents")
    .set(changes)
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .$if(handoff !== undefined, (query) => query.where("handoff", "=", handoff ?? ""))
    .returningAll()
    .executeTakeFirst();
}

/**
 * The organization's slugs that equal this one or extend it with a number, except that of the agent `exceptId`. The
 * organization must be locked until the chosen slug is written, so that concurrent requests choose different ones.
 */
async function readSlugs(
  trx: Transaction<Tables>,
  { organizationId, slug, exceptId }: { organizationId: string; slug: string; exceptId?: string | undefined },
): Promise<Set<string>> {
  const rows = await trx
    .selectFrom("agents")
    .select(["id", "slug"])
    .where("organizationId", "=", organizationId)
    .where((where) => where.or([where("slug", "=", slug), where("slug", "like", `${slug}-%`)]))
    .execute();
  return new Set(rows.filter(({ id }) => id !== exceptId).map((row) => row.slug));
}

/** The organization must be locked, so that simultaneous requests cannot exceed the limit. */
async function checkAgentLimit(trx: Transaction<Tables>, organizationId: string): Promise<void> {
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
