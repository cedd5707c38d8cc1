import type { TriggerEvent } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import type { Transaction } from "kysely";
import { parseHandoff } from "../agents/handoff.ts";
import type { ChangeListener, RatedChange, RequestHuman } from "../conversations/log/change.ts";
import type { Tables } from "../db/tables.ts";

/** A custom event requests a person only in a conversation that was updated within this time, in milliseconds. */
const RECENT_MS = DAY_MS;

/** Requests a person once as many tool calls have failed as the agent allows. */
export const requestAfterFailures: ChangeListener = async (trx, changes, log) => {
  for (const change of changes) {
    if (change.kind !== "reply_ended" || change.reply.failedTools === 0 || change.handler !== "agent") continue;
    const { agent } = change.reply;
    const { isEnabled, failedTools: max } = parseHandoff(agent);
    if (!isEnabled || max === null || change.failedTools < max) continue;
    const { organizationId, conversationId } = change;
    await log.request(trx, agent, { organizationId, conversationId, cause: "failed_tools", reason: null });
  }
};

/** Requests a person once as many consecutive replies have failed as the agent allows. */
export const requestAfterFailedReplies: ChangeListener = async (trx, changes, log) => {
  for (const change of changes) {
    if (change.kind !== "reply_ended" || change.failedReplies === 0 || change.handler !== "agent") continue;
    const { agent } = change.reply;
    const { isEnabled, failedReplies: max } = parseHandoff(agent);
    if (!isEnabled || max === null || change.failedReplies < max) continue;
    const { organizationId, conversationId } = change;
    await log.request(trx, agent, { organizationId, conversationId, cause: "failed_reply", reason: null });
  }
};

/** Requests a person after bad ratings. Only ratings since the last handoff ended are counted. */
export const requestAfterRatings: ChangeListener = async (trx, changes, log) => {
  for (const change of changes) {
    if (change.kind !== "rated" || !isNewlyBad(change)) continue;
    const { agentId, organizationId, conversationId } = change;
    const agent = await readAgent(trx, agentId);
    if (!agent) continue;
    const { isEnabled, badRatings } = parseHandoff(agent);
    if (!isEnabled || badRatings === null) continue;
    if ((await countBadRatings(trx, conversationId)) < badRatings) continue;
    await log.request(trx, agent, { organizationId, conversationId, cause: "rating", reason: null });
  }
};

function isNewlyBad({ rating, previous, role, isByAgent }: RatedChange): boolean {
  return rating === "down" && previous !== "down" && role === "assistant" && isByAgent;
}

async function countBadRatings(trx: Transaction<Tables>, conversationId: string): Promise<number> {
  const earlier = await trx
    .selectFrom("handoffs")
    .select((x) => x.fn.max("endedAt").as("endedAt"))
    .where("conversationId", "=", conversationId)
    .executeTakeFirst();
  const ratings = await trx
    .selectFrom("messages")
    .select((x) => x.fn.countAll<number>().as("n"))
    .where("conversationId", "=", conversationId)
    .where("feedback", "=", "down")
    .where("authorName", "is", null)
    .where("createdAt", ">", Number(earlier?.endedAt ?? 0))
    .executeTakeFirst();
  return Number(ratings?.n ?? 0);
}

/**
 * @returns a function that requests a person after a trigger event, in the transaction that stores it. The request
 * applies to the newest conversation of the event's session
 */
export function createEventRule(log: { request: RequestHuman }) {
  return async (trx: Transaction<Tables>, event: TriggerEvent): Promise<void> => {
    const { agentId, sessionId, triggerType, eventType } = event;
    if (triggerType !== "custom_event" || eventType !== "fired" || !sessionId) return;
    const agent = await readAgent(trx, agentId);
    if (!agent) return;
    const { isEnabled, events } = parseHandoff(agent);
    if (!isEnabled || events.length === 0) return;
    const name = await readEventName(trx, event);
    if (name === null || !events.includes(name)) return;
    const conversation = await trx
      .selectFrom("conversations")
      .select("id")
      .where("organizationId", "=", agent.organizationId)
      .where("sessionId", "=", sessionId)
      .where("agentId", "=", agentId)
      .where("trashedAt", "is", null)
      .where("updatedAt", ">", Date.now() - RECENT_MS)
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    if (!conversation) return;
    const conversationRef = { organizationId: agent.organizationId, conversationId: conversation.id };
    await log.request(trx, agent, { ...conversationRef, cause: "custom_event", reason: null });
  };
}

async function readAgent(trx: Transaction<Tables>, agentId: string) {
  return trx
    .selectFrom("agents")
    .select(["id", "organizationId", "handoff"])
    .where("id", "=", agentId)
    .executeTakeFirst();
}

/** Reads the name of the custom event that fired the trigger. */
async function readEventName(trx: Transaction<Tables>, { agentId, triggerId, triggerName }: TriggerEvent) {
  const trigger = await trx
    .selectFrom("triggers")
    .select("conditions")
    .where("agentId", "=", agentId)
    .where(triggerId ? "id" : "name", "=", triggerId || triggerName)
    .where("triggerType", "=", "custom_event")
    .limit(1)
    .executeTakeFirst();
  if (!trigger) return null;
  const { event } = JSON.parse(trigger.conditions) as { event?: unknown };
  return typeof event === "string" ? event : null;
}
