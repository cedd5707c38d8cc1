import type { TriggerEvent } from "@foyer/contract";
import type { Transaction } from "kysely";
import { parseHandoff } from "../agents/handoff.ts";
import type { Tables } from "../db/tables.ts";
import type { HandoffRequests } from "./requests.ts";

/**
 * An event without a conversation id belongs to the newest conversation of its session, unless that conversation is
 * older than this.
 */
const RECENT_MS = 86_400_000;

/** The agent's rules that request a person. They run in the transaction of the event that they react to. */
export function createHandoffRules(requests: HandoffRequests) {
  async function agentOf(trx: Transaction<Tables>, agentId: string) {
    return trx
      .selectFrom("agents")
      .select(["id", "organizationId", "handoff"])
      .where("id", "=", agentId)
      .executeTakeFirst();
  }

  return {
    /** Call it after storing a bad rating of a reply by the agent. Ratings before an earlier handoff do not count. */
    async onBadRating(
      trx: Transaction<Tables>,
      { agentId, conversationId }: { agentId: string; conversationId: string },
    ): Promise<void> {
      const agent = await agentOf(trx, agentId);
      if (!agent) return;
      const { isEnabled, badRatings } = parseHandoff(agent);
      if (!isEnabled || badRatings === null) return;
      const earlier = await trx
        .selectFrom("handoffs")
        .select((x) => x.fn.max("endedAt").as("endedAt"))
        .where("conversationId", "=", conversationId)
        .executeTakeFirst();
      const bad = await trx
        .selectFrom("messages")
        .select((x) => x.fn.countAll<number>().as("n"))
        .where("conversationId", "=", conversationId)
        .where("feedback", "=", "down")
        .where("authorName", "is", null)
        .where("createdAt", ">", Number(earlier?.endedAt ?? 0))
        .executeTakeFirst();
      if (Number(bad?.n ?? 0) < badRatings) return;
      const { organizationId } = agent;
      await requests.request(trx, agent, { organizationId, conversationId, cause: "rating", reason: null });
    },
    /** Call it after an event of the page. The event belongs to the newest conversation of its session. */
    async onEvent(trx: Transaction<Tables>, event: TriggerEvent): Promise<void> {
      const { agentId, sessionId, triggerType, eventType } = event;
      if (triggerType !== "custom_event" || eventType !== "fired" || !sessionId) return;
      const agent = await agentOf(trx, agentId);
      if (!agent) return;
      const { isEnabled, events } = parseHandoff(agent);
      if (!isEnabled || events.length === 0) return;
      const name = await eventNameOf(trx, event);
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
      const asked = { organizationId: agent.organizationId, conversationId: conversation.id };
      await requests.request(trx, agent, { ...asked, cause: "custom_event", reason: null });
    },
  };
}

/** The name of the page's event to which the trigger reacted. */
async function eventNameOf(trx: Transaction<Tables>, { agentId, triggerId, triggerName }: TriggerEvent) {
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
