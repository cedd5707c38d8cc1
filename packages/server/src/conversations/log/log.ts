import { afterCommit } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { failpoint } from "../../failpoints.ts";
import { type ChangeListener, type Emit, isHandoffChange, type RequestHuman } from "./change.ts";
import { createConversationRatings } from "./conversation-ratings.ts";
import { createErasure } from "./erase.ts";
import { createHandlerChanges } from "./handler.ts";
import { createMarks } from "./marks.ts";
import { createMemberMessages } from "./member-messages.ts";
import { createRatings } from "./ratings.ts";
import { createReplies } from "./replies.ts";
import { createHandoffRequests, createRequestOpener } from "./requests.ts";
import { createStatusChanges } from "./status.ts";
import { createTeamMoves } from "./team-moves.ts";
import { createTrash } from "./trash.ts";

export type ConversationLog = ReturnType<typeof createConversationLog>;

/**
 * What can happen to a conversation. Only the files of this folder write the tables `conversations` and
 * `messages`. Each operation tells the listeners, in their order, what happened, in the transaction that stores it.
 *
 * Every transaction takes its locks in the same order, so that no two can deadlock:
 *
 * 1. the conversation, several of them in the order of their ids (a deletion of many takes them as the database finds
 *    them, and `inTransaction` repeats it after a deadlock),
 * 2. its messages, several of them in the order of their ids,
 * 3. the request for a person (`handoffs`),
 * 4. what the listeners write, which belongs to the conversation or is shared by many, such as counters. A listener
 *    updates several shared rows in a fixed order or with `beforeCommit`.
 */
export function createConversationLog(
  deps: Pick<Deps, "db" | "databaseKind" | "config" | "encryption">,
  listeners: readonly ChangeListener[],
) {
  const { db, config } = deps;
  const emit: Emit = async (trx, changes) => {
    for (const listener of listeners) await listener(trx, changes, { request });
    for (const change of changes) {
      if (!isHandoffChange(change)) continue;
      failpoint("handoff.committing");
      afterCommit(trx, () => failpoint("handoff.committed"));
    }
  };
  const openRequest = createRequestOpener(emit, { maxAnnounced: config.limits.handoffAnnouncements });
  const requests = createHandoffRequests(emit, openRequest);
  const request: RequestHuman = requests.request;
  const handlerChanges = createHandlerChanges(deps, emit);
  return {
    ...createReplies(deps, emit),
    ...requests,
    ...createTeamMoves(emit, openRequest),
    ...handlerChanges,
    ...createStatusChanges(deps, emit, handlerChanges.returnAll),
    ...createMemberMessages(emit),
    ...createRatings(db, emit),
    ...createMarks(db, deps.databaseKind, emit),
    ...createConversationRatings(emit),
    ...createErasure(db, emit),
    ...createTrash(deps, emit),
    /** Tells the listeners that the team is notified now of requests that were held back. */
    announce: emit,
  };
}
