import { findOpening, isOpen } from "@foyer/contract/rules/office-hours";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { Transaction } from "kysely";
import { parseHandoff } from "../../agents/handoff.ts";
import { hasFormerMember } from "../../conversations/former-member.ts";
import type { HandoffChange, TakenChange } from "../../conversations/log/change.ts";
import type { HandoffTimerRow } from "../../db/tables/notices.ts";
import type { Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { hostOf, MAIL_HOST } from "../../outbox/host-of.ts";
import type { AnnounceMentions } from "../notes/mentions.ts";
import type { EnqueueNotices } from "./notice-target.ts";
import { findRecipients } from "./recipients.ts";

/** How long a member has to answer, or to open the inbox, before a notice says that the visitor has written. */
const UNANSWERED_MS = 2 * MINUTE_MS;
/** A member who is present is given this much more time, in milliseconds. */
const PRESENT_MS = 60_000;
/**
 * The due time of a timer that never fires. It marks that the member was notified of the visitor's message, until the
 * member answers.
 */
const NEVER = Number.MAX_SAFE_INTEGER;

type Trx = Transaction<Tables>;
type Recipients = Awaited<ReturnType<typeof findRecipients>>;
type Notice = {
  about: { notice: "assigned" | "message"; handoffId: string } | { notice: "mention"; noteId: string };
  userId: string;
  isOpen?: boolean;
  /** where the member receives notices, if it was read before */
  recipients?: Recipients;
};
type Subject = { organizationId: string; conversationId: string };
type Owned = Pick<HandoffTimerRow, "conversationId" | "organizationId" | "handoffId">;

/**
 * Notifies the member who has a conversation when it was assigned to them, or when the visitor has written in their
 * absence, and members whom a note mentions. Of several unanswered messages, only the first one causes a notice.
 */
export function createMemberNotices(mailer: Deps["mailer"], enqueue: EnqueueNotices, now: () => number) {
  /** @returns whether any notice is sent */
  async function notify(
    trx: Trx,
    subject: Subject,
    { about, userId, isOpen = true, recipients }: Notice,
  ): Promise<boolean> {
    const { organizationId } = subject;
    const { emails, devices } = recipients ?? (await findRecipients(trx, organizationId, { kind: "member", userId }));
    const target = { ...about, userId };
    const parts = [
      ...(mailer.isConfigured ? emails : []).map(() => ({ type: "email" as const, host: MAIL_HOST, target })),
      ...(isOpen ? devices : []).map(({ id, endpoint }) => ({
        type: "webhook" as const,
        host: hostOf(endpoint),
        target: { ...target, pushId: id },
      })),
    ];
    await enqueue(trx, subject, parts);
    return parts.length > 0;
  }

  async function setTimer(trx: Trx, owned: Owned, { kind, dueAt }: Pick<HandoffTimerRow, "kind" | "dueAt">) {
    const { conversationId, organizationId, handoffId } = owned;
    await trx
      .insertInto("handoffTimers")
      .values({ conversationId, organizationId, handoffId, kind, step: 0, dueAt })
      .onConflict((conflict) => conflict.columns(["conversationId", "kind"]).doNothing())
      .execute();
  }

  async function onVisitorMessage(trx: Trx, { conversationId, organizationId }: HandoffChange): Promise<void> {
    const request = await trx
      .selectFrom("handoffs")
      .innerJoin("conversations", "conversations.id", "handoffs.conversationId")
      .select(["handoffs.id", hasFormerMember.as("isAbandoned")])
      .where("handoffs.conversationId", "=", conversationId)
      .where("handoffs.takenAt", "is not", null)
      .where("handoffs.endedAt", "is", null)
      .executeTakeFirst();
    if (!request) return;
    const owned = { conversationId, organizationId, handoffId: request.id };
    // Use another kind of timer, because the timer `message` of a former member may be set to NEVER.
    if (request.isAbandoned) return setTimer(trx, owned, { kind: "left", dueAt: now() });
    await setTimer(trx, owned, { kind: "message", dueAt: now() + UNANSWERED_MS });
  }

  async function record(trx: Trx, change: HandoffChange): Promise<void> {
    const { kind, conversationId } = change;
    if (kind === "visitor_message") return onVisitorMessage(trx, change);
    if (kind === "requested" || kind === "digest" || kind === "answered") return;
    await trx
      .deleteFrom("handoffTimers")
      .where("conversationId", "=", conversationId)
      .where("kind", "=", "message")
      .execute();
  }

  /** Notifies members of conversations that others have assigned to them. */
  async function announceAssigned(trx: Trx, changes: readonly TakenChange[]): Promise<void> {
    const assigned = changes.filter(({ assignedBy, userId }) => assignedBy !== null && assignedBy !== userId);
    const found = new Map<string, Recipients>();
    for (const { conversationId, organizationId, handoff, userId } of assigned) {
      const recipients = found.get(userId) ?? (await findRecipients(trx, organizationId, { kind: "member", userId }));
      found.set(userId, recipients);
      const about = { notice: "assigned", handoffId: handoff.id } as const;
      await notify(trx, { conversationId, organizationId }, { about, userId, recipients });
    }
  }

  return {
    record,
    announceAssigned,
    announceMentions: (async (trx, { id: noteId, ...subject }, userIds) => {
      for (const userId of userIds) await notify(trx, subject, { about: { notice: "mention", noteId }, userId });
    }) satisfies AnnounceMentions,
    /**
     * Notifies the member of a message that nobody has answered in time, unless they are present. Outside office hours,
     * no push notification is sent, and a member who gets no email is notified when the office opens.
     */
    async remind(trx: Trx, timer: HandoffTimerRow, isPresent: (userId: string) => Promise<boolean>): Promise<void> {
      const conversation = await trx
        .selectFrom("conversations")
        .innerJoin("agents", "agents.id", "conversations.agentId")
        .select(["conversations.assigneeId", "agents.handoff"])
        .where("conversations.id", "=", timer.conversationId)
        .where("conversations.organizationId", "=", timer.organizationId)
        .executeTakeFirst();
      const userId = conversation?.assigneeId ?? null;
      if (!conversation || userId === null) return;
      if (await isPresent(userId)) return setTimer(trx, timer, { kind: "message", dueAt: now() + PRESENT_MS });
      const { hours } = parseHandoff(conversation);
      const isSent = await notify(trx, timer, {
        about: { notice: "message", handoffId: timer.handoffId },
        userId,
        isOpen: isOpen(hours, now()),
      });
      const dueAt = isSent ? NEVER : (findOpening(hours, now()) ?? NEVER);
      await setTimer(trx, timer, { kind: "message", dueAt });
    },
  };
}
