import type { Transaction } from "kysely";
import { compileOnce } from "../db/compiled-query.ts";
import { inDraft } from "../db/draft-tables.ts";
import { lockRow } from "../db/lock-row.ts";
import type { Db } from "../db/open.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import { AppError } from "../errors.ts";
import { readLimits } from "../plans/plan-limits.ts";
import { withDraft, writeColumns } from "./draft-columns.ts";
import { findFreeSlug } from "./slug.ts";

/** The number of agents that are read and rendered between two turns of the event loop. */
const PAGE = 500;

export type AgentStore = ReturnType<typeof createAgentStore>;
export type AgentSummaryRow = Pick<AgentRow, "id" | "name" | "slug" | "model" | "createdAt">;

export function createAgentStore(db: Db) {
  const list = compileOnce<
    { organizationId: string; after: string; limit: number },
    AgentSummaryRow & Pick<AgentRow, "draft">
  >((param) =>
    db
      .selectFrom("agents")
      .select(["id", "name", "slug", "model", "createdAt", "draft"])
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
        yield rows.map((row) => (row.draft === "{}" ? row : { ...row, ...JSON.parse(row.draft) }));
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
     * Adds the agent that `toRow` returns for a free slug, which is `slug` or extends it with a number. Resolves with
     * what `finish` returns, which runs in the same transaction.
     * @throws 403 when the organization has as many agents as its plan allows
     */
    async insert<T>(
      { organizationId, slug }: Pick<AgentRow, "organizationId" | "slug">,
      toRow: (freeSlug: string) => AgentRow,
      finish: (trx: Transaction<Tables>, inserted: AgentRow) => Promise<T>,
    ): Promise<T> {
      return inTransaction(db, async (trx) => finish(trx, await insertAgent(trx, { organizationId, slug }, toRow)));
    },
    insertIn: insertAgent,
    /** The agent of the organization with this slug. */
    async bySlug(organizationId: string, slug: string): Promise<AgentRow | undefined> {
      return db
        .selectFrom("agents")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("slug", "=", slug)
        .where("deletedAt", "is", null)
        .executeTakeFirst();
    },
    /** Keeps the live version from changing. @returns false when it is no longer live, or has changed */
    async markUsed({ id, liveVersion, liveHash }: AgentRow): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable("agents")
        .set({ liveIsUsed: 1 })
        .where("id", "=", id)
        .where("liveVersion", "=", liveVersion)
        .where("liveHash", "=", liveHash)
        .where("deletedAt", "is", null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    update: (agent: AgentId, changes: Partial<AgentRow>) => update(db, agent, changes),
    /** Changes a locked agent. `changesOf` receives it as members edit it. */
    async change(
      trx: Transaction<Tables>,
      agent: AgentId,
      changesOf: (row: AgentRow) => Promise<Partial<AgentRow>>,
    ): Promise<void> {
      const row = await trx.selectFrom("agents").selectAll().where("id", "=", agent.id).executeTakeFirstOrThrow();
      const { slug, ...changes } = await changesOf(withDraft(row));
      const renamed = slug === undefined ? {} : { slug: await chooseSlug(trx, agent, slug) };
      await writeColumns(trx, row, { ...changes, ...renamed });
    },
    /**
     * Hides the agent, its tools and its triggers from every reader and frees its slug. The row stays until everything
     * else that refers to it is deleted, see agent-deletion.ts. @returns false when there is no such agent
     */
    async hide(trx: Transaction<Tables>, { organizationId, id }: AgentId, now: number): Promise<boolean> {
      const hidden = await trx
        .updateTable("agents")
        .set({ deletedAt: now, slug: id })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("deletedAt", "is", null)
        .executeTakeFirst();
      if (hidden.numUpdatedRows === 0n) return false;
      for (const side of [trx, inDraft(trx)]) {
        await side.deleteFrom("triggers").where("agentId", "=", id).execute();
        await side.deleteFrom("tools").where("agentId", "=", id).execute();
      }
      return true;
    },
  };
}

/** See `insert`. */
async function insertAgent(
  trx: Transaction<Tables>,
  { organizationId, slug }: Pick<AgentRow, "organizationId" | "slug">,
  toRow: (freeSlug: string) => AgentRow,
): Promise<AgentRow> {
  await lockRow(trx, "organizations", organizationId);
  await checkAgentLimit(trx, organizationId);
  const row = toRow(findFreeSlug(slug, await readSlugs(trx, { organizationId, slug })));
  await trx.insertInto("agents").values(row).execute();
  await trx.insertInto("agentCounters").values({ agentId: row.id, conversations: 0 }).execute();
  return row;
}

type AgentId = Pick<AgentRow, "organizationId" | "id">;

async function update(db: Db, { organizationId, id }: AgentId, changes: Partial<AgentRow>): Promise<void> {
  await db
    .updateTable("agents")
    .set(changes)
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .where("deletedAt", "is", null)
    .execute();
}

/** The slug for an agent that is renamed or restored: `slug`, or `slug` extended with a number. */
export async function chooseSlug(
  trx: Transaction<Tables>,
  { organizationId, id }: AgentId,
  slug: string,
): Promise<string> {
  await lockRow(trx, "organizations", organizationId);
  return findFreeSlug(slug, await readSlugs(trx, { organizationId, slug, exceptId: id }));
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
export async function checkAgentLimit(trx: Transaction<Tables>, organizationId: string): Promise<void> {
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
