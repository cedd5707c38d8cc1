import { sql } from "kysely";
import { expect } from "vitest";
import type { Turn } from "./chat-load.ts";
import type { EnduranceLoad } from "./endurance-load.ts";
import { call, type FaultSite, type ServerProcess } from "./fault-site.ts";

/** The characters of a message that are compared; long replies are compared by their length as well. */
const COMPARED = 300;
/** A time that exceeds the half minute without a heartbeat after which the server treats a reply as lost. */
const HOUR_MS = 3_600_000;

type DeliveredIds = ReturnType<typeof createDeliveredIds>;

/** The ids of the webhooks that arrived. */
export function createDeliveredIds({ receiver }: FaultSite) {
  const ids = new Map<string, number>();
  return {
    ids,
    /** Moves the received webhooks out of the receiver, which would otherwise keep all of them. */
    collect() {
      for (const { headers, path } of receiver.received.splice(0)) {
        const id = `${path} ${headers["webhook-id"]}`;
        ids.set(id, (ids.get(id) ?? 0) + 1);
      }
    },
    /** How many webhooks arrived more than once. */
    repeated: () => [...ids].filter(([id, times]) => !id.startsWith("/tool") && times > 1).length,
  };
}

type Checked = { serverProcess: ServerProcess; load: EnduranceLoad; delivered: DeliveredIds };

/** Asserts that everything that was acknowledged is stored once, counted once, and delivered. */
export async function checkLoad(site: FaultSite, { serverProcess, load, delivered }: Checked): Promise<void> {
  await site.endLeases();
  await expect.poll(site.open).toEqual([]);
  delivered.collect();
  await checkSubmissions(site, load, delivered);
  await checkTriggerEvents(site, load);
  const messages = await checkMessages(site, load);
  await checkReplies(site, serverProcess, load, messages);
  await checkConversationEvents(site, load, { messages, delivered });
}

async function checkSubmissions({ db }: FaultSite, { toolId, submissions }: EnduranceLoad, { ids }: DeliveredIds) {
  const stored = await db.selectFrom("submissions").select(["id", "status"]).where("toolId", "=", toolId).execute();
  expect(stored.map(({ id }) => id).toSorted()).toEqual(submissions.acknowledged.toSorted());
  expect(stored.filter(({ status }) => status !== "webhook_success")).toEqual([]);
  expect(stored.filter(({ id }) => !ids.has(`/form ${id}`))).toEqual([]);
}

async function checkTriggerEvents({ db }: FaultSite, { agentId, triggerId, triggerEvents }: EnduranceLoad) {
  const rows = await db.selectFrom("triggerEvents").select("sessionId").where("agentId", "=", agentId).execute();
  expect(rows.map(({ sessionId }) => sessionId).toSorted()).toEqual(triggerEvents.acknowledged.toSorted());
  const days = await db.selectFrom("triggerDays").select("fired").where("triggerId", "=", triggerId).execute();
  expect(days.reduce((sum, { fired }) => sum + fired, 0)).toBe(rows.length);
}

type StoredMessage = Awaited<ReturnType<typeof messagesOf>>[number];

const messagesOf = ({ db }: FaultSite, agentId: string) =>
  db
    .selectFrom("messages")
    .innerJoin("conversations", "conversations.id", "messages.conversationId")
    .select(["messages.id", "conversationId", "position", "role", "stopReason", "messageCount"])
    .select([
      sql<number>`length(content)`.as("length"),
      sql<string>`substr(content, 1, ${sql.lit(COMPARED)})`.as("beginning"),
    ])
    .where("agentId", "=", agentId)
    .orderBy("conversationId")
    .orderBy("position")
    .execute();

/** Each acknowledged message is stored once, with its reply as the client read it, and conversations have no gaps. */
async function checkMessages(site: FaultSite, { agentId, chats }: EnduranceLoad): Promise<StoredMessage[]> {
  const messages = await messagesOf(site, agentId);
  const byConversation = Map.groupBy(messages, ({ conversationId }) => conversationId);
  for (const all of byConversation.values()) {
    expect(all.map(({ position }) => position)).toEqual(all.map((_, index) => index));
    expect(all.map(({ messageCount }) => messageCount)).toEqual(all.map(() => all.length));
  }
  const sent = messages.filter(({ role }) => role === "user");
  const times = Map.groupBy(sent, ({ beginning }) => beginning);
  expect([...times].filter(([, some]) => some.length > 1)).toEqual([]);
  const byId = new Map(messages.map((message) => [message.id, message]));
  for (const turn of chats.turns) {
    const [asked] = times.get(turn.content) ?? [];
    const reply = byId.get(turn.messageId);
    expect(asked?.conversationId, turn.content).toBe(turn.conversationId);
    expect(reply, turn.content).toMatchObject({
      conversationId: turn.conversationId,
      role: "assistant",
      position: (asked?.position ?? 0) + 1,
      ...storedAs(turn),
    });
  }
  const counters = await site.db
    .selectFrom("agentCounters")
    .select("conversations")
    .where("agentId", "=", agentId)
    .executeTakeFirstOrThrow();
  expect(counters.conversations).toBe(byConversation.size);
  return messages;
}

/**
 * Whether the stop reason that the client received must be stored. It is an error when the end of a reply cannot be
 * stored. Another process that resumed a reply reports it as aborted once the reply's own process has been silent for
 * too long.
 */
const isEndStored = ({ content, reply }: Turn) =>
  reply !== null && reply.stopReason !== "error" && !(content.startsWith("resume ") && reply.stopReason === "aborted");

function storedAs(turn: Turn) {
  if (!turn.reply || turn.reply.stopReason === "error") return {};
  const { text, stopReason } = turn.reply;
  const end = isEndStored(turn) ? { stopReason } : {};
  return { ...end, length: text.length, beginning: text.slice(0, COMPARED) };
}

/**
 * Checks that a reply whose process was killed ends for every reader, and that all other replies have ended by
 * themselves.
 */
async function checkReplies(
  { db }: FaultSite,
  serverProcess: ServerProcess,
  { agentId, chats }: EnduranceLoad,
  all: StoredMessage[],
) {
  const lost = all.filter(({ role, stopReason }) => role === "assistant" && stopReason === null);
  const ended = new Set(chats.turns.filter(isEndStored).map(({ messageId }) => messageId));
  expect(lost.filter(({ id }) => ended.has(id))).toEqual([]);
  for (const { id, conversationId } of lost) {
    await db
      .updateTable("messages")
      .set((x) => ({ updatedAt: x("updatedAt", "-", HOUR_MS) }))
      .where("id", "=", id)
      .execute();
    type Answer = { data: { messages: Array<{ id: string; stopReason: string | null }> } };
    const { data } = await call<Answer>(serverProcess, "GET", `/conversations/${conversationId}`);
    expect(data.messages.find((message) => message.id === id)?.stopReason, agentId).toBe("aborted");
  }
}

type Known = { messages: StoredMessage[]; delivered: DeliveredIds };

/** Each stored message has one event, numbered within its conversation, which was delivered. */
async function checkConversationEvents({ db }: FaultSite, { agentId }: EnduranceLoad, { messages, delivered }: Known) {
  const events = await db
    .selectFrom("events")
    .select(["id", "type", "conversationId", "sequence", "data"])
    .where("agentId", "=", agentId)
    .orderBy("conversationId")
    .orderBy("sequence")
    .execute();
  for (const some of Map.groupBy(events, ({ conversationId }) => conversationId).values()) {
    expect(some.map(({ sequence }) => sequence)).toEqual(some.map((_, index) => index + 1));
  }
  const reported = (...types: string[]) =>
    events.filter(({ type }) => types.includes(type)).map(({ data }) => JSON.parse(data).messageId as string);
  const ids = (matches: (message: StoredMessage) => boolean) => messages.filter(matches).map(({ id }) => id);
  expect(reported("message.created").toSorted()).toEqual(ids(({ role }) => role === "user").toSorted());
  expect(reported("reply.finished", "reply.failed").toSorted()).toEqual(
    ids(({ role, stopReason }) => role === "assistant" && stopReason !== null).toSorted(),
  );
  expect(events.filter(({ id }) => !delivered.ids.has(`/event ${id}`))).toEqual([]);
}
