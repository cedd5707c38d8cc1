import type { WebhookEventData } from "@foyer/contract";
import type { HandoffChange, RecordHandoff } from "../conversations/handoff-change.ts";
import type { RecordEvents } from "../events/record-events.ts";

type ReportedChange = Pick<
  WebhookEventData["conversation.handed_over"],
  "change" | "handler" | "assigneeId" | "memberId"
>;

/**
 * Records a `conversation.handed_over` event for each reportable handler change, in the same transaction as the change.
 */
export function createHandoffEvents(recordEvents: RecordEvents): RecordHandoff {
  return async (trx, change) => {
    const reported = describeChange(change);
    if (!reported) return;
    const { organizationId, agentId, conversationId, epoch, handoffId } = change;
    const { cause, reason, summary, promisedAt } = await trx
      .selectFrom("handoffs")
      .select(["cause", "reason", "summary", "promisedAt"])
      .where("id", "=", handoffId ?? "")
      .where("organizationId", "=", organizationId)
      .executeTakeFirstOrThrow();
    const data = () => ({
      ...reported,
      epoch,
      cause,
      reason,
      summary,
      promisedAt: promisedAt === null ? null : new Date(promisedAt).toISOString(),
    });
    await recordEvents(trx, [{ type: "conversation.handed_over", organizationId, agentId, conversationId, data }]);
  };
}

/** Describes the change for the event. @returns null if the handler stays the same */
function describeChange(change: HandoffChange): ReportedChange | null {
  switch (change.kind) {
    case "requested":
      // A repeated change only notifies the team of a delayed request. The visitor has been waiting since the first
      // change, which was reported.
      if (change.isRepeated) return null;
      return { change: "requested", handler: "waiting", assigneeId: null, memberId: null };
    case "taken": {
      const { userId, assignedBy } = change;
      return { change: "taken", handler: "human", assigneeId: userId, memberId: assignedBy ?? userId };
    }
    case "returned":
    case "closed":
      return { change: change.kind, handler: "agent", assigneeId: null, memberId: change.userId };
    case "cancelled":
      return { change: "cancelled", handler: "agent", assigneeId: null, memberId: null };
    default:
      return null;
  }
}
