import { type ReplyTargetKind, replyTargetKinds } from "@foyer/contract";
import type { ReplyTarget } from "@foyer/contract/rules/reply-targets";

/** The targets of a request as they are stored. `isWarned`: the members were notified that it will soon be missed. */
export type StoredTargets = Partial<Record<ReplyTargetKind, ReplyTarget & { isWarned?: boolean }>>;

/** What should happen to the visitor until a target is due. */
export const targetDone: Record<ReplyTargetKind, string> = {
  firstAnswer: "be answered",
  nextAnswer: "be answered",
  resolution: "be finished",
};

/** When the next notice about a target is due (milliseconds), or null. */
export function findNextWarning(targets: StoredTargets): number | null {
  const times = replyTargetKinds.flatMap((kind) => {
    const target = targets[kind];
    return target && target.isWarned !== true ? [target.warnAt] : [];
  });
  return times.length === 0 ? null : Math.min(...times);
}

/** @returns the targets whose notice is due, the one that is missed first in front, and all targets with that noted */
export function takeWarnings(targets: StoredTargets, now: number): { due: ReplyTargetKind[]; targets: StoredTargets } {
  const due = replyTargetKinds.flatMap((kind) => {
    const target = targets[kind];
    return target && target.isWarned !== true && target.warnAt <= now ? [{ kind, target }] : [];
  });
  const warned = due.map(({ kind, target }) => [kind, { ...target, isWarned: true }] as const);
  return {
    due: due.sort((a, b) => a.target.dueAt - b.target.dueAt).map(({ kind }) => kind),
    targets: { ...targets, ...Object.fromEntries(warned) },
  };
}
