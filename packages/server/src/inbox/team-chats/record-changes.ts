import type { Transaction } from "kysely";
import {
  type ChangeListener,
  type HandoffChange,
  onHandoff,
  type TakenChange,
  type TargetDueChange,
} from "../../conversations/log/change.ts";
import type { Tables } from "../../db/tables.ts";
import { afterCommit } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import { toOneLine } from "./chat-text.ts";
import { createThreadStore } from "./thread-store.ts";

type Trx = Transaction<Tables>;

/**
 * Stores the posts about a handler change or message in the same transaction, so that no post is lost. A request starts
 * a thread in every chat of the organization, and so does a target that will soon be missed, if the request was
 * announced together with others. Later changes are posted to the existing threads.
 */
export function createTeamChatPosts(deps: Pick<Deps, "db">, outbox: Outbox): ChangeListener {
  const store = createThreadStore(deps, outbox);

  async function postRequest(trx: Trx, { organizationId, conversationId }: HandoffChange, handoffId: string) {
    for (const { channelId } of await store.listChats(trx, organizationId)) {
      const thread = await store.ensureThread(trx, channelId, conversationId);
      await store.post(trx, thread, { kind: "request", subjectId: handoffId });
    }
  }

  /** Posts in the thread of one of the conversations, because every post belongs to a thread. */
  async function postDigest(trx: Trx, { organizationId, conversationId }: HandoffChange, count: number) {
    const visitors = count === 1 ? "1 visitor is" : `${count} visitors are`;
    const text = `${visitors} waiting for a person. Many asked within a short time, so this is one post for all of them. Answer the others in the inbox.`;
    for (const { channelId } of await store.listChats(trx, organizationId)) {
      const thread = await store.ensureThread(trx, channelId, conversationId);
      await store.post(trx, thread, { kind: "text", text });
    }
  }

  async function postTarget(trx: Trx, { organizationId, conversationId, handoffId, target }: TargetDueChange) {
    afterCommit(trx, outbox.worker.notify);
    for (const { channelId } of await store.listChats(trx, organizationId)) {
      const thread = await store.ensureThread(trx, channelId, conversationId);
      await store.post(trx, thread, { kind: "target", subjectId: handoffId, text: target });
    }
  }

  async function postMessage(trx: Trx, conversationId: string, messageId: string) {
    for (const thread of await store.listThreads(trx, conversationId)) {
      await store.post(trx, thread, { kind: "message", subjectId: messageId });
    }
  }

  async function postText(
    trx: Trx,
    { conversationId, userId }: HandoffChange,
    textFor: (name: string) => string | Promise<string>,
  ) {
    const threads = await store.listThreads(trx, conversationId);
    if (threads.length === 0) return;
    const text = await textFor(userId ? await readMemberName(trx, userId) : "");
    for (const thread of threads) await store.post(trx, thread, { kind: "text", text });
  }

  async function postTaken(trx: Trx, change: TakenChange) {
    const { assignedBy, userId } = change;
    await postText(trx, change, async (name) => {
      const by = assignedBy === null || assignedBy === userId ? null : await readMemberName(trx, assignedBy);
      const taken = by === null ? `${name} took over the conversation.` : `${by} assigned the conversation to ${name}.`;
      return `${taken} The agent has stopped replying.`;
    });
  }

  const postHandoff = onHandoff(async (trx, change) => {
    afterCommit(trx, outbox.worker.notify);
    switch (change.kind) {
      case "requested":
        return change.heldUntil === null ? postRequest(trx, change, change.handoff.id) : undefined;
      case "digest":
        return postDigest(trx, change, change.count);
      case "visitor_message":
      case "member_message":
        return postMessage(trx, change.conversationId, change.messageId);
      case "taken":
        return postTaken(trx, change);
      case "returned":
        return postText(trx, change, (name) => `${name} returned the conversation to the agent.`);
      case "closed":
        return postText(trx, change, (name) => `${name} closed the conversation. The agent answers from now on.`);
      case "cancelled":
        if (change.handoff.announcedAt === null) return;
        return postText(trx, change, () => "The visitor stopped waiting. The agent answers again.");
      case "answered":
    }
  });

  return async (trx, changes, log) => {
    await postHandoff(trx, changes, log);
    for (const change of changes) if (change.kind === "target_due") await postTarget(trx, change);
  };
}

async function readMemberName(trx: Trx, userId: string): Promise<string> {
  const user = await trx.selectFrom("users").select("name").where("id", "=", userId).executeTakeFirst();
  return toOneLine(user?.name ?? "", 100) || "A member";
}
