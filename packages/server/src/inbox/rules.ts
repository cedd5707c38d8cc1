import type { TriggerEvent } from "@foyer/contract";
import type { Transaction } from "kysely";
import { parseHandoff } from "../agents/handoff.ts";
import type { Tables } from "../db/tables.ts";
import type { HandoffRequests } from "./requests.ts";

/** A custom event requests a person only in a conversation that was updated within this time, in milliseconds. */
const RECENT_MS = 86_400_000;

/**
 * Creates the rules that request a person automatically. Each runs in the transaction of the event that triggers it.
 */
export function createHandoffRules(requests: HandoffRequests) {
  async function readAgent(trx: Transaction<Tables>, agentId: string) {
    return trx
      .selectFrom("agents")
      .select(["id", "organizationId", "handoff"])
      .where("id", "=", agentId)
      .executeTakeFirst();
  }

  return {
    /**
     * Call it after storing a bad rating of an agent's reply. Only ratings since the last handoff ended are counted.
     */
    async onBadRating(
      trx: Transaction<Tables>,
      { agentId, conversationId }: { agentId: string; conversationId: string },
    ): Promise<void> {
      const agent = await readAgent(trx, agentId);
      if (!agent) return;
      const { isEnabled, badRatings } = parseHandoff(agent);
      if (!isEnabled || badRatings === null) return;
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
      if (Number(ratings?.n ?? 0) < badRatings) return;
      const { organizationId } = agent;
      await requests.request(trx, agent, { organizationId, conversationId, cause: "rating", reason: null });
    },
    /** Call it after storing a trigger event. It applies to the newest conversation of the event's session. */
    async onEvent(trx: Transaction<Tables>, event: TriggerEvent): Promise<void> {
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
        .where("updatedAt", ">", Date.now() - RECENT_MS)
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirst();
      if (!conversation) return;
      const conversationRef = { organizationId: agent.organizationId, conversationId: conversation.id };
      await requests.request(trx, agent, { ...conversationRef, cause: "custom_event", reason: null });
    },
  };
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
