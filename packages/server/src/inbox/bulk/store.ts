import { sql, type Transaction } from "kysely";
import type { DatabaseKind } from "../../db/database-kind.ts";
import { isVisible } from "../../db/deleted-agents.ts";
import { compileInsert } from "../../db/json-rows.ts";
import { lockRow } from "../../db/lock-row.ts";
import type { Instant } from "../../db/tables/column-types.ts";
import type { BulkActionRow, BulkItemRow } from "../../db/tables/inbox.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { LeaseLostError } from "../../jobs/leased-queue.ts";
import type { BulkJob } from "./queue.ts";

/** The maximum number of unfinished bulk actions of an organization. */
export const maxUnfinished = 5;

/** The number of items that one statement deletes, which takes a few milliseconds. */
const DELETED_AT_ONCE = 500;

type Owner = { organizationId: string; userId: string };
type Outcomes = { from: BulkItemRow["state"][]; ids: readonly string[]; state: BulkItemRow["state"] };
type Counts = Partial<Pick<BulkActionRow, "done" | "skipped" | "undone">>;

export type BulkStore = ReturnType<typeof createBulkStore>;

export function createBulkStore({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  const insertItems = compileInsert<Omit<BulkItemRow, "before">>({ db, databaseKind }, "bulkItems", {
    bulkId: "text",
    conversationId: "text",
    organizationId: "text",
    state: "text",
  });

  /** Changes the bulk action in a transaction. @throws LeaseLostError when another process has it */
  async function updateHeld(
    trx: Transaction<Tables>,
    { id, fence }: BulkJob,
    changes: Partial<BulkActionRow>,
  ): Promise<BulkActionRow> {
    const row = await trx
      .updateTable("bulkActions")
      .set(changes)
      .where("id", "=", id)
      .where("fence", "=", fence)
      .returningAll()
      .executeTakeFirst();
    if (!row) throw new LeaseLostError();
    return row;
  }

  async function addItems(
    trx: Transaction<Tables>,
    { id: bulkId, organizationId }: Pick<BulkActionRow, "id" | "organizationId">,
    ids: readonly string[],
  ): Promise<number> {
    if (ids.length === 0) return 0;
    // A conversation that has just been deleted or belongs to another organization is left out.
    const existing = await trx
      .selectFrom("conversations")
      .select("id")
      .where("organizationId", "=", organizationId)
      .where("id", "in", ids)
      .where(isVisible("conversations"))
      .$if(databaseKind === "postgres", (query) => query.forKeyShare())
      .orderBy("id")
      .execute();
    const rows = existing.map((row) => ({ bulkId, conversationId: row.id, organizationId, state: "pending" as const }));
    await insertItems(trx, rows);
    return rows.length;
  }

  return {
    /** @param ids the conversations; null if they are to be collected. @returns false when too many are unfinished */
    async create(row: BulkActionRow, ids: readonly string[] | null): Promise<BulkActionRow | null> {
      return inTransaction(db, async (trx) => {
        // Two requests must not both use the last free slot.
        await lockRow(trx, "organizations", row.organizationId);
        const unfinished = await trx
          .selectFrom("bulkActions")
          .select("id")
          .where("organizationId", "=", row.organizationId)
          .where("dueAt", "is not", null)
          .limit(maxUnfinished)
          .execute();
        if (unfinished.length >= maxUnfinished) return null;
        await trx.insertInto("bulkActions").values(row).execute();
        if (ids === null) return row;
        const total = await addItems(trx, row, ids);
        await trx.updateTable("bulkActions").set({ total }).where("id", "=", row.id).execute();
        return { ...row, total };
      });
    },
    async get({ organizationId, userId }: Owner, id: string): Promise<BulkActionRow | undefined> {
      return db
        .selectFrom("bulkActions")
        .selectAll()
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("userId", "=", userId)
        .executeTakeFirst();
    },
    /**
     * Asks for an undo. A running action is stopped by the process that runs it.
     * @returns undefined when there is nothing to undo, or it finished before `since`
     */
    async requestUndo(
      { organizationId, userId }: Owner,
      id: string,
      { since, dueAt }: { since: Instant; dueAt: Instant },
    ): Promise<BulkActionRow | undefined> {
      return db
        .updateTable("bulkActions")
        .set({
          isUndoRequested: 1,
          state: sql`case when state = 'done' then 'undoing' else state end`,
          dueAt: sql`coalesce("dueAt", ${dueAt})`,
          finishedAt: null,
        })
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .where("userId", "=", userId)
        .where("state", "in", ["collecting", "running", "done"])
        .where(({ eb, or }) => or([eb("finishedAt", "is", null), eb("finishedAt", ">=", since)]))
        .returningAll()
        .executeTakeFirst();
    },
    /** Adds collected conversations. @returns the bulk action as it is now */
    async collect(job: BulkJob, ids: readonly string[], isComplete: boolean): Promise<BulkActionRow> {
      return inTransaction(db, async (trx) => {
        const last = ids.at(-1);
        const held = await updateHeld(trx, job, {
          failures: 0,
          ...(last === undefined ? {} : { lastCollected: last }),
          ...(isComplete ? { state: "running" } : {}),
        });
        const added = await addItems(trx, job, ids);
        const total = held.total + added;
        return updateHeld(trx, job, { total });
      });
    },
    /** The next conversations in one of the states, in the order of their ids. */
    async items(job: BulkJob, states: BulkItemRow["state"][], limit: number): Promise<BulkItemRow[]> {
      return db
        .selectFrom("bulkItems")
        .selectAll()
        .where("bulkId", "=", job.id)
        .where("organizationId", "=", job.organizationId)
        .where("state", "in", states)
        .orderBy("conversationId")
        .limit(limit)
        .execute();
    },
    /** Stores the state of conversations before their change. */
    async start(job: BulkJob, befores: ReadonlyArray<{ conversationId: string; before: string }>): Promise<void> {
      if (befores.length === 0) return;
      await inTransaction(db, async (trx) => {
        await updateHeld(trx, job, { failures: job.failures });
        await startItems(trx, databaseKind, { job, befores });
      });
    },
    /** Stores what became of conversations, and counts it. @returns the bulk action as it is now */
    async record(job: BulkJob, outcomes: readonly Outcomes[], counts: Counts): Promise<BulkActionRow> {
      return inTransaction(db, async (trx) => {
        const held = await updateHeld(trx, job, { failures: 0 });
        for (const { from, ids, state } of outcomes) {
          if (ids.length === 0) continue;
          await trx
            .updateTable("bulkItems")
            .set({ state })
            .where("bulkId", "=", job.id)
            .where("organizationId", "=", job.organizationId)
            .where("conversationId", "in", ids)
            .where("state", "in", from)
            .execute();
        }
        const { done = 0, skipped = 0, undone = 0 } = counts;
        return updateHeld(trx, job, {
          done: held.done + done,
          skipped: held.skipped + skipped,
          undone: held.undone + undone,
        });
      });
    },
    /** Ends a phase. An undo that was requested in the meantime follows. @returns the bulk action as it is now */
    async finish(job: BulkJob, phase: "running" | "undoing", now: Instant): Promise<BulkActionRow> {
      return inTransaction(db, async (trx) => {
        const held = await updateHeld(trx, job, { failures: 0 });
        if (phase === "undoing") return updateHeld(trx, job, { state: "undone", finishedAt: now, dueAt: null });
        if (held.isUndoRequested === 1) return updateHeld(trx, job, { state: "undoing" });
        // Conversations that were deleted in the meantime are no longer among the items.
        const skipped = held.total - held.done;
        return updateHeld(trx, job, { state: "done", skipped, finishedAt: now, dueAt: null });
      });
    },
  };
}

/**
 * Finds the items by a list of ids. With a join, both databases searched the JSON text for each item that was left,
 * which held SQLite's event loop for 300 ms.
 */
async function startItems(
  trx: Transaction<Tables>,
  databaseKind: DatabaseKind,
  { job, befores }: { job: BulkJob; befores: ReadonlyArray<{ conversationId: string; before: string }> },
): Promise<void> {
  const ids = befores.map(({ conversationId }) => conversationId);
  const byId = JSON.stringify(
    Object.fromEntries(befores.map(({ conversationId, before }) => [conversationId, before])),
  );
  const json = databaseKind === "sqlite" ? sql`${byId}` : sql`${byId}::json`;
  await trx
    .updateTable("bulkItems")
    .set({ state: "started", before: sql<string>`${json} ->> "conversationId"` })
    .where("bulkId", "=", job.id)
    .where("organizationId", "=", job.organizationId)
    .where("conversationId", "in", ids)
    .where("state", "=", "pending")
    .execute();
}

/** Deletes bulk actions that finished before this time. @returns the number of deleted rows */
export async function deleteBulkActionsBefore(db: Deps["db"], before: Instant): Promise<number> {
  const old = await db
    .selectFrom("bulkActions")
    .select("id")
    .where("dueAt", "is", null)
    .where("finishedAt", "<", before)
    .limit(DELETED_AT_ONCE)
    .execute();
  let deleted = 0;
  for (const { id } of old) {
    for (;;) {
      const some = db
        .selectFrom("bulkItems as some")
        .select("some.conversationId")
        .where("some.bulkId", "=", id)
        .limit(DELETED_AT_ONCE);
      const part = db.deleteFrom("bulkItems").where("bulkId", "=", id).where("conversationId", "in", some);
      const { numDeletedRows } = await part.executeTakeFirst();
      deleted += Number(numDeletedRows);
      if (numDeletedRows < BigInt(DELETED_AT_ONCE)) break;
    }
    await db.deleteFrom("bulkActions").where("id", "=", id).where("dueAt", "is", null).execute();
    deleted++;
  }
  return deleted;
}
