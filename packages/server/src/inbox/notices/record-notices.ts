import type { ReplyTargetKind } from "@foyer/contract";
import { addOpenMinutes, isOpen } from "@foyer/contract/rules/office-hours";
import { MINUTE_MS } from "@foyer/contract/rules/time";
import type { Transaction } from "kysely";
import { parseHandoff } from "../../agents/handoff.ts";
import {
  type ChangeListener,
  onHandoff,
  type TakenChange,
  type TargetDueChange,
} from "../../conversations/log/change.ts";
import type { HandoffRow } from "../../db/tables/handoff.ts";

import type { Tables } from "../../db/tables.ts";
import { afterCommit } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { failpoint } from "../../failpoints.ts";
import { newId } from "../../ids.ts";
import { hostOf, MAIL_HOST } from "../../outbox/host-of.ts";
import type { Outbox } from "../../outbox/outbox.ts";
import { takeNextAudience } from "./escalation.ts";
import { createMemberNotices } from "./member-notices.ts";
import type { EnqueueNotices } from "./notice-target.ts";
import { setRatingTimers } from "./rating-timer.ts";
import { findRecipients, type NoticeAudience } from "./recipients.ts";

export type NoticeRecorder = ReturnType<typeof createNoticeRecorder>;

/** How long a visitor has to see an answer in the widget before it is sent by email. */
const UNSEEN_MS = 2 * MINUTE_MS;

/** What a notice to members and channels is about. */
type About =
  | { notice: "request"; handoffId: string; step: number }
  | { notice: "digest"; handoffId: string; count: number }
  | { notice: "target"; handoffId: string; target: ReplyTargetKind };

type Request = Pick<HandoffRow, "id" | "organizationId" | "agentId" | "conversationId">;

/**
 * Writes notices and timers in the transaction of the change that they are about, so that none is lost or sent
 * needlessly.
 */
export function createNoticeRecorder(
  { mailer }: Pick<Deps, "mailer">,
  outbox: Pick<Outbox, "queue" | "worker">,
  now: () => number = Date.now,
) {
  const enqueue: EnqueueNotices = async (trx, { organizationId, conversationId }, parts) => {
    if (parts.length === 0) return;
    const rows = parts.map(({ target, ...part }) => ({
      ...newDelivery,
      ...part,
      id: newId("delivery"),
      organizationId,
      conversationId,
      target: JSON.stringify(target),
      createdAt: now(),
    }));
    await outbox.queue.insert(trx, rows, 0);
    failpoint("notice.recorded");
    afterCommit(trx, () => {
      failpoint("notice.committed");
      outbox.worker.notify();
    });
  };

  const memberNotices = createMemberNotices(mailer, enqueue, now);

  /** Notifies the recipients who are next. Outside office hours, no push notifications are sent. */
  async function notify(
    trx: Transaction<Tables>,
    request: Request,
    { audience, step, isOpen: isOfficeOpen }: { audience: NonNullable<NoticeAudience>; step: number; isOpen: boolean },
  ): Promise<void> {
    const about = { notice: "request", handoffId: request.id, step } as const;
    await send(trx, request, { about, audience, isOpen: isOfficeOpen });
  }

  async function send(
    trx: Transaction<Tables>,
    request: Request,
    { about, audience, isOpen: isOfficeOpen }: { about: About; audience: NonNullable<NoticeAudience>; isOpen: boolean },
  ): Promise<void> {
    const { emails, devices, channels } = await findRecipients(trx, request.organizationId, audience);
    await enqueue(trx, request, [
      ...(mailer.isConfigured ? emails : []).map((userId) => ({
        type: "email" as const,
        host: MAIL_HOST,
        target: { ...about, userId },
      })),
      ...(isOfficeOpen ? devices : []).map(({ id, userId, endpoint }) => ({
        type: "webhook" as const,
        host: hostOf(endpoint),
        target: { ...about, userId, pushId: id },
      })),
      ...channels.map(({ id, url }) => ({
        type: "team_chat" as const,
        host: hostOf(url ?? ""),
        target: { ...about, channelId: id },
      })),
    ]);
  }

  /**
   * Notifies the recipients after `step` escalations, notes who they are, and sets the timer of the next escalation.
   * @returns false when the agent was deleted
   */
  async function call(trx: Transaction<Tables>, request: Request, step: number): Promise<boolean> {
    const next = await takeNextAudience(trx, request);
    if (!next) return false;
    const { hours, promiseMinutes } = next.settings;
    await notify(trx, request, { audience: next.audience, step, isOpen: isOpen(hours, now()) });
    const dueAt = promiseMinutes === null ? null : addOpenMinutes(hours, promiseMinutes, now());
    if (dueAt !== null && next.hasNext) await setTimer(trx, request, { kind: "escalation", step, dueAt });
    return true;
  }

  /** Notifies everyone that several visitors are waiting. Outside office hours, no push notifications are sent. */
  async function callForMany(trx: Transaction<Tables>, request: Request, count: number): Promise<void> {
    const agent = await trx
      .selectFrom("agents")
      .select("handoff")
      .where("id", "=", request.agentId)
      .where("organizationId", "=", request.organizationId)
      .executeTakeFirst();
    if (!agent) return;
    const about = { notice: "digest", handoffId: request.id, count } as const;
    await send(trx, request, {
      about,
      audience: { kind: "everybody", teamId: null },
      isOpen: isOpen(parseHandoff(agent).hours, now()),
    });
  }

  /** Notifies the member who has the conversation, or the team, of a target that will soon be missed. */
  async function warn(trx: Transaction<Tables>, change: TargetDueChange): Promise<void> {
    const { handoffId, organizationId, agentId, conversationId, assigneeId, teamId, target } = change;
    const request = { id: handoffId, organizationId, agentId, conversationId };
    const audience =
      assigneeId === null
        ? ({ kind: "everybody", teamId } as const)
        : ({ kind: "member", userId: assigneeId } as const);
    // Only office hours count for a target, so the office is open.
    await send(trx, request, { about: { notice: "target", handoffId, target }, audience, isOpen: true });
  }

  const record = onHandoff(async (trx, change) => {
    if (change.kind === "taken") return;
    const { conversationId, organizationId, agentId } = change;
    await memberNotices.record(trx, change);
    if (change.kind === "digest") {
      return callForMany(trx, { id: change.handoffId, organizationId, agentId, conversationId }, change.count);
    }
    if (change.kind === "requested") {
      const request = { id: change.handoff.id, organizationId, agentId, conversationId };
      await (change.heldUntil === null ? call(trx, request, 0) : holdBack(trx, request, change.heldUntil));
    } else if (change.kind === "member_message") {
      const message = await trx
        .selectFrom("messages")
        .select("position")
        .where("id", "=", change.messageId)
        .executeTakeFirstOrThrow();
      const request = { id: change.handoff.id, organizationId, conversationId };
      const dueAt = now() + UNSEEN_MS;
      await setTimer(trx, request, { kind: "answer", step: message.position, dueAt });
    } else if (change.kind === "visitor_message") {
      await deleteTimer(trx, conversationId, "answer");
    } else if (change.kind !== "answered") {
      await deleteTimer(trx, conversationId, "escalation");
    }
  });

  /** Several conversations can be taken at once, so their timers are deleted with one statement. */
  async function recordTaken(trx: Transaction<Tables>, changes: readonly TakenChange[]): Promise<void> {
    await trx
      .deleteFrom("handoffTimers")
      .where(
        "conversationId",
        "in",
        changes.map(({ conversationId }) => conversationId),
      )
      .where("kind", "in", ["message", "escalation"])
      .execute();
    await memberNotices.announceAssigned(trx, changes);
  }

  const listener: ChangeListener = async (trx, changes, log) => {
    const taken = changes.filter((change) => change.kind === "taken");
    if (taken.length > 0) await recordTaken(trx, taken);
    await record(trx, changes, log);
    for (const change of changes) if (change.kind === "target_due") await warn(trx, change);
    const asked = changes.filter((change) => change.kind === "rating_asked");
    if (asked.length > 0 && mailer.isConfigured) await setRatingTimers(trx, asked, now());
  };

  return { listener, call, enqueue, remind: memberNotices.remind, announceMentions: memberNotices.announceMentions };
}

/**
 * The step of a request about which the team has not been notified yet. Lower steps belong to requests that were
 * announced together, once for each number.
 */
export const NOT_ANNOUNCED = -1;

type Timer = { kind: "escalation" | "answer"; step: number; dueAt: number };

/** Announces the request later, unless it has ended or been taken by then. */
const holdBack = (trx: Transaction<Tables>, request: Request, dueAt: number) =>
  setTimer(trx, request, { kind: "escalation", step: NOT_ANNOUNCED, dueAt });

/**
 * Sets a timer. A timer that is already running keeps its due time, which counts from the first message that the
 * visitor has not seen, unless the visitor has seen everything before this step.
 */
async function setTimer(
  trx: Transaction<Tables>,
  { id: handoffId, organizationId, conversationId }: Omit<Request, "agentId">,
  timer: Timer,
): Promise<void> {
  await trx
    .insertInto("handoffTimers")
    .values({ conversationId, organizationId, handoffId, ...timer })
    .onConflict((conflict) =>
      conflict
        .columns(["conversationId", "kind"])
        .doUpdateSet({ handoffId, dueAt: timer.dueAt })
        .where("handoffTimers.step", "=", timer.step),
    )
    .execute();
}

async function deleteTimer(trx: Transaction<Tables>, conversationId: string, kind: Timer["kind"]): Promise<void> {
  await trx.deleteFrom("handoffTimers").where("conversationId", "=", conversationId).where("kind", "=", kind).execute();
}

/** The columns that all notices share when they are created. */
const newDelivery = {
  kind: "notice",
  purpose: "notice",
  state: "pending",
  submissionId: null,
  webhookId: null,
  eventId: null,
  position: 0,
  attempts: 0,
  attemptsBefore: 0,
  fence: 0,
} as const;
