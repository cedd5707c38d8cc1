import { MINUTE_MS } from "../rules/time.ts";
import { type OfficeHours, type ReplyTargetKind, replyTargetKinds } from "./handoff.ts";
import { addOpenMinutes, countOpenTime } from "./office-hours.ts";

/** When a target is missed, and when its clock turns because it soon will be. Both are in milliseconds. */
export type ReplyTarget = { dueAt: number; warnAt: number };
export type ReplyTargets = Partial<Record<ReplyTargetKind, ReplyTarget>>;

/** The part of a target's minutes after which its clock turns. */
const WARN_AFTER = 0.75;

/**
 * When a target that starts at this instant (milliseconds) is missed. Only office hours count.
 * @returns null without a target, or if the office is not open that long within a year
 */
export function calculateReplyTarget(
  hours: OfficeHours | null,
  minutes: number | null,
  from: number,
): ReplyTarget | null {
  if (minutes === null) return null;
  const dueAt = addOpenMinutes(hours, minutes, from);
  // Whole minutes, except for a target of one minute, whose clock would otherwise turn at once.
  const warnAt = addOpenMinutes(hours, Math.floor(minutes * WARN_AFTER) || WARN_AFTER, from);
  return dueAt === null || warnAt === null ? null : { dueAt, warnAt };
}

/** A team's targets in minutes. */
type TargetMinutes = Record<ReplyTargetKind, number | null>;

/** The targets of a new request for a person. `from` is when those for the answer and for the resolution start. */
export function startReplyTargets(
  hours: OfficeHours | null,
  targets: TargetMinutes,
  from: { answer: number; resolution: number },
): ReplyTargets {
  const firstAnswer = calculateReplyTarget(hours, targets.firstAnswer, from.answer);
  const resolution = calculateReplyTarget(hours, targets.resolution, from.resolution);
  return { ...(firstAnswer ? { firstAnswer } : {}), ...(resolution ? { resolution } : {}) };
}

/** The target that is missed first, of those that are not met yet. */
export function findNextTarget(targets: ReplyTargets): (ReplyTarget & { kind: ReplyTargetKind }) | null {
  const open = replyTargetKinds.flatMap((kind) => {
    const target = targets[kind];
    return target ? [{ kind, ...target }] : [];
  });
  return open.sort((a, b) => a.dueAt - b.dueAt)[0] ?? null;
}

/** The whole minutes within the office hours between two instants (milliseconds). */
export function countOpenMinutes(hours: OfficeHours | null, from: number, to: number): number {
  return Math.floor(countOpenTime(hours, from, to) / MINUTE_MS);
}
