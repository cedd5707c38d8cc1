import type { SourcePageState } from "@foyer/contract";
import { sql, type UpdateObject } from "kysely";
import { databaseNow } from "../../db/database-clock.ts";
import { agentExists } from "../../db/deleted-agents.ts";
import type { SourceRow } from "../../db/tables/documents.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { Trx } from "../store.ts";
import { noPages, type PageCounts, type PageWithDocument, type UnusedPages } from "./source-columns.ts";

type StoreDeps = Pick<Deps, "db" | "databaseKind" | "reads">;
type Page = { limit: number; offset: number };
type Owned = Pick<SourceRow, "id" | "organizationId">;

/**
 * The message that is recorded as the error of a stopped sync. Without it, the sync would appear to have read the whole
 * site.
 */
const STOPPED_MESSAGE =
  "The sync was stopped before it had read every page. Pages that it did not reach keep their earlier version. Sync again to read the rest.";

export type SourceStore = ReturnType<typeof createSourceStore>;

/** The sources that members can see. A source that is being deleted is hidden. */
export function createSourceStore(deps: StoreDeps) {
  return { ...readers(deps), ...writers(deps) };
}

function readers({ db, reads }: StoreDeps) {
  const selectVisible = (organizationId: string) =>
    db
      .selectFrom("sources")
      .where("sources.organizationId", "=", organizationId)
      .where("sources.state", "<>", "deleting")
      .where(agentExists("sources"));

  return {
    async get(organizationId: string, id: string): Promise<SourceRow | undefined> {
      return selectVisible(organizationId).selectAll().where("id", "=", id).executeTakeFirst();
    },
    /** Newest first. */
    async list(organizationId: string, agentId: string | undefined, { limit, offset }: Page) {
      const listed = selectVisible(organizationId).$if(agentId !== undefined, (query) =>
        query.where("agentId", "=", agentId ?? ""),
      );
      const rows = await listed.selectAll().orderBy("id", "desc").limit(limit).offset(offset).execute();
      const { n } = await listed.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow();
      return { rows, total: Number(n) };
    },
    /** The number of pages in each state, by source. */
    async counts(organizationId: string, sources: readonly SourceRow[]): Promise<Map<string, PageCounts>> {
      const counts = new Map(sources.map(({ id }) => [id, { ...noPages }]));
      if (sources.length === 0) return counts;
      const query = db
        .selectFrom("sourcePages")
        .select(["sourceId", "state", (x) => x.fn.countAll<number>().as("n")])
        .where("sourceId", "in", [...counts.keys()])
        .groupBy(["sourceId", "state"]);
      for (const { sourceId, state, n } of await reads.run(query, { lane: "list", owner: organizationId })) {
        const count = counts.get(sourceId);
        if (count) count[state] = Number(n);
      }
      return counts;
    },
    /** Why pages of a source are not used, and how many. */
    async unused({ id, organizationId }: Owned): Promise<UnusedPages[]> {
      const query = db
        .selectFrom("sourcePages")
        .select(["reason", (x) => x.fn.countAll<number>().as("n")])
        .where("sourceId", "=", id)
        .where("state", "in", ["skipped", "missing", "failed"])
        .groupBy("reason");
      const rows = await reads.run(query, { lane: "list", owner: organizationId });
      return rows.map(({ reason, n }) => ({ reason, n: Number(n) }));
    },
    /** Pages ordered by URL. */
    async pages({ id, organizationId }: Owned, state: SourcePageState | undefined, { limit, offset }: Page) {
      const listed = db
        .selectFrom("sourcePages")
        .where("sourcePages.sourceId", "=", id)
        .$if(state !== undefined, (query) => query.where("sourcePages.state", "=", state ?? "read"));
      const options = { lane: "list", owner: organizationId } as const;
      const query = listed
        .leftJoin("documents", (join) =>
          join.onRef("documents.id", "=", "sourcePages.documentId").on("documents.organizationId", "=", organizationId),
        )
        .select([
          "sourcePages.url",
          "sourcePages.state",
          "sourcePages.reason",
          "sourcePages.documentId",
          "documents.title",
          "documents.state as documentState",
        ])
        .orderBy("sourcePages.url")
        .limit(limit)
        .offset(offset);
      const rows: PageWithDocument[] = await reads.run(query, options);
      const [count] = await reads.run(
        listed.select((x) => x.fn.countAll<number>().as("n")),
        options,
      );
      return { rows, total: Number(count?.n ?? 0) };
    },
  };
}

function writers({ db, databaseKind }: StoreDeps) {
  const now = databaseNow(databaseKind);
  const update = (
    trx: Pick<Trx, "updateTable">,
    { organizationId, id }: Owned,
    changes: UpdateObject<Tables, "sources">,
  ) =>
    trx
      .updateTable("sources")
      .set(changes)
      .where("id", "=", id)
      .where("organizationId", "=", organizationId)
      .where("state", "<>", "deleting");
  /** Revokes the lease of a running sync. */
  const withoutLease = { fence: sql<number>`fence + 1`, attempts: 0 };
  const queued = { ...withoutLease, state: "queued" as const, dueAt: now };

  return {
    inTransaction: <T>(work: (trx: Trx) => Promise<T>) => inTransaction(db, work),
    /** Inserts a source that is due now, unless the agent has too many. @returns false when there are too many */
    async insert(trx: Trx, row: SourceRow, maxPerAgent: number): Promise<boolean> {
      const counted = trx
        .selectFrom("sources")
        .where("organizationId", "=", row.organizationId)
        .where("agentId", "=", row.agentId);
      const { n } = await counted.select((x) => x.fn.countAll<number>().as("n")).executeTakeFirstOrThrow();
      if (Number(n) >= maxPerAgent) return false;
      await trx
        .insertInto("sources")
        .values({ ...row, dueAt: now })
        .execute();
      return true;
    },
    /** Changes settings. `restartsSync` starts a sync with the new settings and replaces a running one. */
    async change(
      source: SourceRow,
      changes: Partial<SourceRow>,
      { restartsSync }: { restartsSync: boolean },
    ): Promise<SourceRow | undefined> {
      const set = { ...changes, ...(restartsSync ? queued : {}), updatedAt: Date.now() };
      return update(db, source, set).returningAll().executeTakeFirst();
    },
    /** Queues a sync, unless one is queued or running. */
    async queue(source: SourceRow): Promise<SourceRow | undefined> {
      return update(db, source, queued).where("state", "=", "idle").returningAll().executeTakeFirst();
    },
    /** Stops a queued or running sync. @param nextMs delay until the next scheduled sync; null without a schedule */
    async stop(trx: Trx, source: SourceRow, nextMs: number | null): Promise<SourceRow | undefined> {
      const idle = {
        ...withoutLease,
        state: "idle" as const,
        dueAt: nextMs === null ? null : sql<number>`${now} + ${nextMs}`,
        errorCode: "STOPPED" as const,
        errorMessage: STOPPED_MESSAGE,
      };
      return update(trx, source, idle).where("state", "<>", "idle").returningAll().executeTakeFirst();
    },
    /** Hides a source from members. Its documents are deleted in the background. */
    async markDeleted(source: SourceRow): Promise<void> {
      await update(db, source, { ...withoutLease, state: "deleting", dueAt: now }).execute();
    },
  };
}
