import type { BulkAction, BulkActionBody, BulkActionName } from "@foyer/contract";
import { FoyerError } from "@foyer/sdk";
import { useSyncExternalStore } from "react";
import { pluralize } from "../../components/plural.ts";
import { api } from "../../data/api.ts";
import { refresh } from "../../data/queries.ts";
import { notify } from "../../data/toasts.ts";

/** How often the progress is read, in milliseconds. */
const POLL_MS = 400;
const RETRY_MS = 3_000;

/** What is said of conversations that an action has changed. */
const changed: Record<BulkActionName, string> = {
  assign: "assigned",
  resolve: "resolved",
  reopen: "opened again",
  snooze: "snoozed",
  read: "marked as read",
  tag: "tagged",
  untag: "untagged",
  trash: "deleted",
};

let running: readonly BulkAction[] = [];
const listeners = new Set<() => void>();

/** The bulk actions that this page has started and the server has not finished. */
export function useBulkActions(): readonly BulkAction[] {
  return useSyncExternalStore(subscribe, () => running);
}

/**
 * Changes many conversations, follows the progress, and offers to undo the change.
 * @param canUndo whether the server can restore what the action changes
 * @returns whether the server has accepted the action
 */
export async function runBulkAction(body: BulkActionBody, { canUndo = true } = {}): Promise<boolean> {
  try {
    const action = await api.createBulkAction({ body });
    void follow(action, (done) => reportDone(done, canUndo));
    return true;
  } catch (error) {
    reportError(error);
    return false;
  }
}

async function undo(id: string): Promise<void> {
  try {
    await follow(await api.undoBulkAction({ id }), ({ undone, done }) => {
      const left = done - undone;
      const kept = left > 0 ? `, ${left.toLocaleString()} changed since then` : "";
      notify(`${pluralize(undone, "conversation")} restored${kept}`);
    });
  } catch (error) {
    reportError(error);
  }
}

function reportDone({ id, action, done, skipped, canUndoUntil }: BulkAction, canUndo: boolean): void {
  const left = skipped > 0 ? `, ${skipped.toLocaleString()} left as they were` : "";
  const options = canUndo && done > 0 && canUndoUntil !== null ? { undo: () => void undo(id) } : {};
  notify(`${pluralize(done, "conversation")} ${changed[action]}${left}`, options);
}

function reportError(error: unknown): void {
  notify(error instanceof Error ? error.message : String(error), { isWrong: true });
}

/** Reads the progress until the server has finished. */
async function follow(first: BulkAction, onEnd: (action: BulkAction) => void): Promise<void> {
  let action = first;
  while (action.state === "running" || action.state === "undoing") {
    setRunning([...running.filter(({ id }) => id !== first.id), action]);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      action = await api.getBulkAction({ id: first.id });
    } catch (error) {
      if (!(error instanceof FoyerError && error.isTemporary)) {
        reportError(error);
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  setRunning(running.filter(({ id }) => id !== first.id));
  if (action.state === "done" || action.state === "undone") onEnd(action);
  await refresh("listConversations", "getConversation", "listTags", "listTrash");
}

function setRunning(next: readonly BulkAction[]) {
  running = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
