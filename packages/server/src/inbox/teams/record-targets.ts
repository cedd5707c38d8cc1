import { addOpenMinutes } from "@foyer/contract/rules/office-hours";
import { calculateReplyTarget, startReplyTargets } from "@foyer/contract/rules/reply-targets";
import type { Transaction } from "kysely";
import { type ChangeListener, onHandoff } from "../../conversations/log/change.ts";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { Tables } from "../../db/tables.ts";
import { readBeginnings } from "./request-beginning.ts";
import { parseOfficeHours } from "./service.ts";
import { findNextWarning, type StoredTargets, takeWarnings } from "./target-warnings.ts";

type Request = Pick<
  HandoffRow,
  "id" | "organizationId" | "conversationId" | "teamId" | "targets" | "answeredAt" | "nextMet" | "nextMissed"
>;

type Changes = Partial<Pick<HandoffRow, "escalatesAt" | "nextMet" | "nextMissed">> & { targets: StoredTargets };

/**
 * Starts and meets the targets of a team in the transactions of what happens: the request for a person, a message of the
 * visitor, and an answer.
 */
export function createTargetRecorder(now: () => number = Date.now): ChangeListener {
  return onHandoff(async (trx, change) => {
    if (change.kind === "requested" && change.isRepeated !== true && change.handoff.teamId !== null) {
      await start(trx, change.handoff, change.handoff.teamId);
    } else if (change.kind === "visitor_message") {
      await expectAnswer(trx, change, now());
    } else if (change.kind === "member_message") {
      await meetAnswer(trx, change, now());
    }
  });
}

async function start(trx: Transaction<Tables>, request: HandoffRow, teamId: string): Promise<void> {
  const { id, organizationId, conversationId, requestedAt } = request;
  const team = await readTeam(trx, organizationId, teamId);
  if (!team) return;
  const hours = parseOfficeHours(team);
  const { escalateAfter, escalationTeamId } = team;
  const escalatesAt =
    escalateAfter === null || escalationTeamId === null ? null : addOpenMinutes(hours, escalateAfter, requestedAt);
  const started = startReplyTargets(hours, team, await readBeginnings(trx, request));
  // The team is notified of the request now, so it needs no second notice about a target that is already nearly missed.
  const { targets } = takeWarnings(started, requestedAt);
  await storeTargets(trx, { id, organizationId, conversationId }, { targets, escalatesAt });
}

/** The visitor has written, so the next answer is due, unless an earlier message already waits for one. */
async function expectAnswer(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: { organizationId: string; conversationId: string },
  at: number,
): Promise<void> {
  const request = await openRequests(trx, organizationId)
    .where("conversationId", "=", conversationId)
    .executeTakeFirst();
  if (!request || request.teamId === null || request.answeredAt === null) return;
  const targets = parseTargets(request);
  if (targets.nextAnswer) return;
  const team = await readTeam(trx, organizationId, request.teamId);
  const nextAnswer = team && calculateReplyTarget(parseOfficeHours(team), team.nextAnswer, at);
  if (nextAnswer) await storeTargets(trx, request, { targets: { ...targets, nextAnswer } });
}

async function meetAnswer(
  trx: Transaction<Tables>,
  { organizationId, handoff }: { organizationId: string; handoff: Pick<HandoffRow, "id"> },
  at: number,
): Promise<void> {
  const request = await openRequests(trx, organizationId).where("id", "=", handoff.id).executeTakeFirst();
  if (!request || request.targets === null) return;
  const { firstAnswer, nextAnswer, ...open } = parseTargets(request);
  if (!firstAnswer && !nextAnswer) return;
  const isMet = nextAnswer !== undefined && at <= nextAnswer.dueAt;
  const isMissed = nextAnswer !== undefined && !isMet;
  await storeTargets(trx, request, {
    targets: open,
    nextMet: request.nextMet + Number(isMet),
    nextMissed: request.nextMissed + Number(isMissed),
  });
}

const openRequests = (trx: Transaction<Tables>, organizationId: string) =>
  trx
    .selectFrom("handoffs")
    .select(["id", "organizationId", "conversationId", "teamId", "targets", "answeredAt", "nextMet", "nextMissed"])
    .where("organizationId", "=", organizationId)
    .where("endedAt", "is", null);

function readTeam(trx: Transaction<Tables>, organizationId: string, id: string) {
  return trx
    .selectFrom("teams")
    .selectAll()
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
}

/** The targets of a request that are not met yet. */
export function parseTargets({ targets }: Pick<Request, "targets">): StoredTargets {
  return targets === null ? {} : JSON.parse(targets);
}

/** Stores the targets, and sets the timer of the next notice about one of them. */
export async function storeTargets(
  trx: Transaction<Tables>,
  { id: handoffId, organizationId, conversationId }: Pick<HandoffRow, "id" | "organizationId" | "conversationId">,
  { targets, ...columns }: Changes,
): Promise<void> {
  const warnAt = findNextWarning(targets);
  await trx
    .updateTable("handoffs")
    .set({ ...columns, targets: JSON.stringify(targets), warnAt })
    .where("id", "=", handoffId)
    .where("organizationId", "=", organizationId)
    .execute();
  if (warnAt === null) {
    await trx
      .deleteFrom("handoffTimers")
      .where("conversationId", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .where("kind", "=", "target")
      .execute();
    return;
  }
  await trx
    .insertInto("handoffTimers")
    .values({ conversationId, organizationId, handoffId, kind: "target", step: 0, dueAt: warnAt })
    .onConflict((conflict) => conflict.columns(["conversationId", "kind"]).doUpdateSet({ handoffId, dueAt: warnAt }))
    .execute();
}
