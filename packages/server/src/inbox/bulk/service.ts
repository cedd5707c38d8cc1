import type { BulkAction, BulkActionBody, ConversationSelection } from "@foyer/contract";
import { maxBulkIds } from "@foyer/contract/rules/limits";
import { toTagName } from "@foyer/contract/rules/tag-name";
import { HOUR_MS } from "@foyer/contract/rules/time";
import { isTeam } from "../../auth/members/is-team.ts";
import { areMembers } from "../../auth/members/members.ts";
import type { ConversationService } from "../../conversations/service.ts";
import { readSnoozeTime } from "../../conversations/status.ts";
import type { BulkActionRow } from "../../db/tables/inbox.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import { createSharedWorker } from "../../jobs/shared-worker.ts";
import type { ViewService } from "../views/service.ts";
import { createChanges, type StoredChange } from "./changes.ts";
import { createBulkQueue } from "./queue.ts";
import { createBulkRunner } from "./run-bulk.ts";
import { createBulkStore, maxUnfinished } from "./store.ts";

/** The number of bulk actions that this process runs at the same time. */
const MAX_CONCURRENT = 8;
/** How long a finished action can be undone. */
const UNDO_MS = HOUR_MS;

type Owner = { organizationId: string; userId: string };
type Parts = Parameters<typeof createChanges>[1] & { conversations: ConversationService; views: ViewService };

export type BulkService = ReturnType<typeof createBulkService>;

/** Changes many conversations in the background. Several processes share the work. */
export function createBulkService(deps: Pick<Deps, "db" | "databaseKind" | "log">, parts: Parts) {
  const { db, log } = deps;
  const { conversations, views } = parts;
  const store = createBulkStore(deps);
  const worker = createSharedWorker({
    name: "bulk_actions",
    size: MAX_CONCURRENT,
    queue: createBulkQueue(deps),
    run: createBulkRunner(deps, { store, conversations, changeFor: createChanges(deps, parts) }),
    log,
    jobName: "bulk action",
    idOf: ({ id }) => id,
  });

  /** @throws 400 unless the body names a member or a team that exists */
  async function readAssignee(
    { organizationId, userId }: Owner,
    body: BulkActionBody,
  ): Promise<{ userId: string } | { teamId: string }> {
    const { userId: named, teamId } = body;
    if (named !== undefined && teamId !== undefined) throw invalid("teamId", "cannot be sent together with `userId`");
    if (teamId !== undefined) {
      if (await isTeam(db, organizationId, teamId)) return { teamId };
      throw invalid("teamId", "is not a team of this organization", "unknown_reference");
    }
    if (named === undefined) {
      throw invalid("userId", "is required to assign conversations to a member", "required");
    }
    const assigneeId = named === "me" ? userId : named;
    if (await areMembers(db, organizationId, [assigneeId])) return { userId: assigneeId };
    throw invalid("userId", "is not a member of this organization", "unknown_reference");
  }

  /** @throws 400 when the change lacks a parameter, or names a member who does not exist */
  async function readChange({ organizationId, userId }: Owner, body: BulkActionBody): Promise<StoredChange> {
    const { action } = body;
    if (action === "assign") return { action, ...(await readAssignee({ organizationId, userId }, body)) };
    if (action === "snooze") {
      if (body.until === undefined) throw invalid("until", "is required to snooze conversations", "required");
      return { action, until: readSnoozeTime(body.until) };
    }
    if (action === "tag" || action === "untag") {
      if (body.tag === undefined) throw invalid("tag", `is required to ${action} conversations`, "required");
      if (toTagName(body.tag) === "") throw invalid("tag", "must contain visible characters");
      return { action, tag: body.tag };
    }
    return { action };
  }

  /** @throws 400 unless the body names conversations in exactly one way; 404 or 409 for a view that cannot be used */
  async function readSelection(owner: Owner, body: BulkActionBody): Promise<string[] | ConversationSelection> {
    const { conversationIds, filter, view } = body;
    const given = [conversationIds, filter, view].filter((way) => way !== undefined);
    if (given.length !== 1) {
      throw invalid("", "Send exactly one of `conversationIds`, `filter` and `view`.");
    }
    if (conversationIds !== undefined) return conversationIds.filter((id) => isId("conv", id)).slice(0, maxBulkIds);
    return view === undefined ? (filter ?? {}) : views.filterOf(owner, view);
  }

  return {
    worker,
    /** @throws 409 when the organization has too many unfinished bulk actions */
    async create(owner: Owner, body: BulkActionBody): Promise<BulkAction> {
      const change = await readChange(owner, body);
      const selection = await readSelection(owner, body);
      const ids = Array.isArray(selection) ? selection : null;
      const now = Date.now();
      const row: BulkActionRow = {
        id: newId("bulk"),
        ...owner,
        change: JSON.stringify(change),
        selection: ids === null ? JSON.stringify(selection) : null,
        state: ids === null ? "collecting" : "running",
        isUndoRequested: 0,
        lastCollected: null,
        total: 0,
        done: 0,
        skipped: 0,
        undone: 0,
        failures: 0,
        createdAt: now,
        finishedAt: null,
        dueAt: 0,
        fence: 0,
      };
      const created = await store.create(row, ids);
      if (!created) {
        const message = `Your organization has ${maxUnfinished} unfinished bulk actions. Wait until one has finished.`;
        throw new AppError("CONFLICT", message);
      }
      worker.notify();
      return toBulkAction(created);
    },
    /** @throws 404 when the member has no such bulk action */
    async get(owner: Owner, id: string): Promise<BulkAction> {
      const row = isId("bulk", id) ? await store.get(owner, id) : undefined;
      if (!row) throw notFound("Bulk action");
      return toBulkAction(row);
    },
    /** @throws 404 when the member has no such bulk action, 409 when it cannot be undone any more */
    async undo(owner: Owner, id: string): Promise<BulkAction> {
      const current = isId("bulk", id) ? await store.get(owner, id) : undefined;
      if (!current) throw notFound("Bulk action");
      const row = await store.requestUndo(owner, id, { since: Date.now() - UNDO_MS, dueAt: 0 });
      if (row) {
        worker.notify();
        return toBulkAction(row);
      }
      if (current.state === "undoing" || current.state === "undone") return toBulkAction(current);
      throw new AppError("CONFLICT", "This bulk action finished more than an hour ago, so it can no longer be undone.");
    },
  };
}

function toBulkAction(row: BulkActionRow): BulkAction {
  const { action }: StoredChange = JSON.parse(row.change);
  const isUndoing = row.isUndoRequested === 1 && row.state !== "undone";
  return {
    id: row.id,
    action,
    state: isUndoing ? "undoing" : row.state === "collecting" ? "running" : row.state,
    total: row.state === "collecting" ? null : row.total,
    done: row.done,
    skipped: row.skipped,
    undone: row.undone,
    createdAt: new Date(row.createdAt).toISOString(),
    finishedAt: row.finishedAt === null ? null : new Date(row.finishedAt).toISOString(),
    canUndoUntil:
      row.state === "done" && row.finishedAt !== null ? new Date(row.finishedAt + UNDO_MS).toISOString() : null,
  };
}
