import { maxBulkConversations } from "@foyer/contract/rules/limits";
import { tagKey, toTagName } from "@foyer/contract/rules/tag-name";
import type { ConversationService } from "../../conversations/service.ts";
import type { BulkActionRow, BulkItemRow } from "../../db/tables/inbox.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { failpoint } from "../../failpoints.ts";
import type { RunJob } from "../../jobs/worker.ts";
import type { Before, Change, createChanges, StoredChange, Target } from "./changes.ts";
import type { BulkJob } from "./queue.ts";
import type { BulkStore } from "./store.ts";

/** The number of conversations that are collected with one statement. */
const COLLECTED_AT_ONCE = 250;
/** The number of conversations between two records of the progress. */
const CHUNK = 50;
/** The number of conversations that are changed with the same statements, which takes a few milliseconds. */
const TOGETHER = 25;
/** The number of conversations that are changed concurrently, so that a database on another machine is kept busy. */
const CONCURRENCY = 4;
/** The number of consecutive failures after which conversations that cannot be changed are skipped. */
const MAX_FAILURES = 5;

type Outcome = { changed: string[]; left: string[] };
type Parts = {
  store: BulkStore;
  conversations: Pick<ConversationService, "findIds">;
  changeFor: ReturnType<typeof createChanges>;
};

/**
 * @returns a function that runs a leased bulk action. Each conversation is first stored with its earlier state and then
 * changed. After a crash, the next process repeats the changes that may not have been made, which is harmless, so none
 * is lost.
 */
export function createBulkRunner(deps: Pick<Deps, "db" | "log">, { store, conversations, changeFor }: Parts) {
  const { db, log } = deps;

  async function collect(job: BulkJob, signal: AbortSignal): Promise<BulkActionRow> {
    const filter = JSON.parse(job.selection ?? "{}");
    let row: BulkActionRow = job;
    while (row.state === "collecting") {
      signal.throwIfAborted();
      const limit = Math.min(COLLECTED_AT_ONCE, maxBulkConversations - row.total);
      const ids = limit === 0 ? [] : await conversations.findIds(job, filter, { before: row.lastCollected, limit });
      row = await store.collect(job, ids, ids.length < COLLECTED_AT_ONCE);
      if (row.isUndoRequested === 1) return row;
    }
    return row;
  }

  /** The states of conversations that exist, by id. */
  async function readBefores(
    job: BulkJob,
    ids: readonly string[],
    { tag }: StoredChange,
  ): Promise<Map<string, Before>> {
    if (ids.length === 0) return new Map();
    const rows = await db
      .selectFrom("conversations")
      .select(["id", "handler", "assigneeId", "teamId", "epoch", "readAt", "status", "snoozedUntil"])
      .where("organizationId", "=", job.organizationId)
      .where("id", "in", ids)
      .execute();
    const tagged = tag === undefined ? new Set() : await readTagged(job, ids, tag);
    return new Map(rows.map(({ id, ...state }) => [id, { ...state, isTagged: tagged.has(id) }]));
  }

  async function readTagged(job: BulkJob, ids: readonly string[], tag: string): Promise<Set<string>> {
    const rows = await db
      .selectFrom("conversationTags")
      .innerJoin("tags", "tags.id", "conversationTags.tagId")
      .select("conversationTags.conversationId")
      .where("conversationTags.organizationId", "=", job.organizationId)
      .where("conversationTags.conversationId", "in", ids)
      .where("tags.nameKey", "=", tagKey(toTagName(tag)))
      .execute();
    return new Set(rows.map(({ conversationId }) => conversationId));
  }

  async function nameOf(userId: string): Promise<string> {
    const user = await db.selectFrom("users").select("name").where("id", "=", userId).executeTakeFirst();
    return user?.name ?? "";
  }

  /** @returns the ids of the conversations that `act` changed, and of the others */
  async function actOn(
    job: BulkJob,
    targets: readonly Target[],
    act: (target: Target) => Promise<boolean>,
  ): Promise<Outcome> {
    const changed: string[] = [];
    const left: string[] = [];
    const rest = targets.values();
    const work = async () => {
      for (const target of rest) {
        const isChanged = await act(target).catch((error: unknown) => {
          if (error instanceof AppError && error.status < 500) return target.isRepeated;
          if (job.failures <= MAX_FAILURES) throw error;
          log.error({ err: error, conversationId: target.conversationId }, "a bulk action skipped a conversation");
          return false;
        });
        (isChanged || target.isRepeated ? changed : left).push(target.conversationId);
        failpoint("bulk.changed");
      }
    };
    // Wait for all of them, so that none changes a conversation after the action was released.
    const results = await Promise.allSettled(Array.from({ length: CONCURRENCY }, work));
    for (const result of results) if (result.status === "rejected") throw result.reason;
    return { changed, left };
  }

  function toTargets(job: BulkJob, userName: string, items: readonly BulkItemRow[]): Target[] {
    return items.flatMap(({ conversationId, before, state }) =>
      before === null
        ? []
        : [
            {
              organizationId: job.organizationId,
              userId: job.userId,
              userName,
              requestedAt: job.createdAt,
              conversationId,
              isRepeated: job.state !== "undoing" && state === "started",
              before: JSON.parse(before),
            },
          ],
    );
  }

  async function applyAll(job: BulkJob, signal: AbortSignal): Promise<BulkActionRow> {
    const stored: StoredChange = JSON.parse(job.change);
    const { apply, applyToAll } = changeFor(stored);
    const userName = await nameOf(job.userId);
    for (;;) {
      signal.throwIfAborted();
      const open = await store.items(job, ["started", "pending"], CHUNK);
      if (open.length === 0) return store.finish(job, "running", Date.now());
      const pending = open.filter(({ state }) => state === "pending").map(({ conversationId }) => conversationId);
      const befores = await readBefores(job, pending, stored);
      const started = [...befores].map(([conversationId, before]) => ({
        conversationId,
        before: JSON.stringify(before),
      }));
      await store.start(job, started);
      const known = new Map(started.map(({ conversationId, before }) => [conversationId, before]));
      const items = open.map((item) => ({ ...item, before: item.before ?? known.get(item.conversationId) ?? null }));
      const targets = toTargets(job, userName, items);
      // After several failures, one by one, to find the conversation that causes them.
      const isTogether = applyToAll !== undefined && job.failures <= 1;
      const { changed, left } = await (isTogether ? applyTogether(targets, applyToAll) : actOn(job, targets, apply));
      const gone = items.filter(({ before }) => before === null).map(({ conversationId }) => conversationId);
      const row = await store.record(
        job,
        [
          { from: ["started"], ids: changed, state: "done" },
          { from: ["started", "pending"], ids: [...left, ...gone], state: "skipped" },
        ],
        { done: changed.length, skipped: left.length + gone.length },
      );
      if (row.isUndoRequested === 1) return store.finish(job, "running", Date.now());
    }
  }

  async function undoAll(job: BulkJob, signal: AbortSignal): Promise<void> {
    const { undo } = changeFor(JSON.parse(job.change));
    const userName = await nameOf(job.userId);
    for (;;) {
      signal.throwIfAborted();
      const items = await store.items(job, ["started", "done"], CHUNK);
      if (items.length === 0) break;
      const { changed, left } = await actOn(job, toTargets(job, userName, items), undo);
      const outcomes = [
        { from: ["started" as const, "done" as const], ids: changed, state: "undone" as const },
        { from: ["started" as const, "done" as const], ids: left, state: "skipped" as const },
      ];
      await store.record(job, outcomes, { undone: changed.length });
    }
    await store.finish(job, "undoing", Date.now());
  }

  const run: RunJob<BulkJob> = async (job, signal) => {
    let row: BulkActionRow = job;
    if (row.state === "collecting") row = await collect(job, signal);
    // An undo of an action that has not begun needs no more conversations.
    if (row.state === "collecting") row = await store.finish(job, "running", Date.now());
    if (row.state === "running") row = await applyAll(job, signal);
    if (row.state === "undoing") await undoAll(job, signal);
  };
  return run;
}

/** Changes conversations several at a time. @returns the ids of those that were changed, and of the others */
async function applyTogether(
  targets: readonly Target[],
  applyToAll: NonNullable<Change["applyToAll"]>,
): Promise<Outcome> {
  const changed: string[] = [];
  const left: string[] = [];
  for (let at = 0; at < targets.length; at += TOGETHER) {
    const [first, ...others] = targets.slice(at, at + TOGETHER);
    if (!first) break;
    const part = [first, ...others] as const;
    const ids = await applyToAll(part).catch((error: unknown) => {
      if (error instanceof AppError && error.status < 500) return new Set<string>();
      throw error;
    });
    for (const { conversationId, isRepeated } of part) {
      (ids.has(conversationId) || isRepeated ? changed : left).push(conversationId);
      failpoint("bulk.changed");
    }
  }
  return { changed, left };
}
