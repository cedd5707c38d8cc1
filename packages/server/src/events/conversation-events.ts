import type { WebhookEventData } from "@foyer/contract";
import { type Change, type ChangeListener, type HandoffChange, isHandoffChange } from "../conversations/log/change.ts";
import type { NewEvent, RecordEvents } from "./record-events.ts";

/** @returns a listener that records the events about conversations, in the same transaction as the changes */
export function createConversationEvents(recordEvents: RecordEvents): ChangeListener {
  return async (trx, changes) => {
    const events = changes.flatMap(toEvents);
    if (events.length > 0) await recordEvents(trx, events);
  };
}

function toEvents(change: Change): NewEvent[] {
  if (isHandoffChange(change)) return toHandoffEvent(change);
  if (change.kind === "rated" && change.isReported) return [toRatingEvent(change)];
  if (change.kind === "rating_reported") return [toRatingEvent(change)];
  return [];
}

type Rated = Extract<Change, { kind: "rated" | "rating_reported" }>;

function toRatingEvent({ organizationId, agentId, conversationId, messageId, rating, comment }: Rated): NewEvent {
  const place = { organizationId, agentId, conversationId };
  return { ...place, type: "message.rated", data: () => ({ messageId, rating, comment }) };
}

type ReportedChange = Pick<
  WebhookEventData["conversation.handed_over"],
  "change" | "handler" | "assigneeId" | "memberId"
>;

function toHandoffEvent(change: HandoffChange): NewEvent[] {
  const reported = describeChange(change);
  if (!reported || !("handoff" in change)) return [];
  const { organizationId, agentId, conversationId, epoch } = change;
  const { cause, reason, summary, promisedAt } = change.handoff;
  const data = () => ({
    ...reported,
    epoch,
    cause,
    reason,
    summary,
    promisedAt: promisedAt === null ? null : new Date(promisedAt).toISOString(),
  });
  return [{ type: "conversation.handed_over", organizationId, agentId, conversationId, data }];
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
