import { sql, type Transaction } from "kysely";
import { handoffOf, promiseOf } from "../agents/handoff.ts";
import type { RecordHandoff } from "../conversations/handoff-change.ts";
import type { AgentRow, Tables } from "../db/tables.ts";
import type { HandoffCounters } from "./counters.ts";
import { type NewRequest, newHandoff } from "./new-handoff.ts";

export type HandoffRequests = ReturnType<typeof createHandoffRequests>;

/** Creates requests for a person, in the transaction of the event that causes them. */
export function createHandoffRequests({ record, counters }: { record: RecordHandoff; counters: HandoffCounters }) {
  return {
    /**
     * Makes the visitor wait for a person. Does nothing unless the agent has the conversation.
     * @returns whether the visitor is waiting now
     */
    async request(
      trx: Transaction<Tables>,
      agent: Pick<AgentRow, "id" | "handoff">,
      asked: NewRequest,
    ): Promise<boolean> {
      const { organizationId, conversationId, cause } = asked;
      const now = Date.now();
      const waiting = await trx
        .updateTable("conversations")
        .set({ handler: "waiting", epoch: sql`epoch + 1`, waitingSince: now, changedAt: now, failedTools: 0 })
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agent.id)
        .where("handler", "=", "agent")
        .returning(["epoch", "isTest"])
        .executeTakeFirst();
      if (!waiting) return false;
      const handoff = newHandoff(asked, agent.id, { now, promisedAt: promiseOf(handoffOf(agent), now) });
      await counters.count(trx, handoff, { event: "requested", at: now, isTest: waiting.isTest === 1 });
      await trx.insertInto("handoffs").values(handoff).execute();
      const place = { organizationId, agentId: agent.id, conversationId, epoch: waiting.epoch };
      await record(trx, { ...place, kind: "requested", handoffId: handoff.id, cause });
      return true;
    },
  };
}
