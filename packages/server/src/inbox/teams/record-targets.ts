import { addOpenMinutes } from "@foyer/contract/rules/office-hours";
import {
  calculateReplyTarget,
  findNextTarget,
  type ReplyTargets,
  startReplyTargets,
} from "@foyer/contract/rules/reply-targets";
import type { Transaction } from "kysely";
import { type ChangeListener, onHandoff } from "../../conversations/log/change.ts";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { Tables } from "../../db/tables.ts";
import { parseOfficeHours } from "./service.ts";

type Request = Pick<
  HandoffRow,
  "id" | "organizationId" | "teamId" | "targets" | "answeredAt" | "nextMet" | "nextMissed"
>;

type Changes = Partial<Pick<HandoffRow, "escalatesAt" | "nextMet" | "nextMissed">> & { targets: ReplyTargets };

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

async function start(
  trx: Transaction<Tables>,
  { id, organizationId, requestedAt }: HandoffRow,
  teamId: string,
): Promise<void> {
  const team = await readTeam(trx, organizationId, teamId);
  if (!team) return;
  const hours = parseOfficeHours(team);
  const { escalateAfter, escalationTeamId } = team;
  const escalatesAt =
    escalateAfter === null || escalationTeamId === null ? null : addOpenMinutes(hours, escalateAfter, requestedAt);
  const targets = startReplyTargets(hours, team, requestedAt);
  await store(trx, { id, organizationId }, { targets, escalatesAt });
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
  if (nextAnswer) await store(trx, request, { targets: { ...targets, nextAnswer } });
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
  await store(trx, request, {
    targets: open,
    nextMet: request.nextMet + Number(isMet),
    nextMissed: request.nextMissed + Number(isMissed),
  });
}

const openRequests = (trx: Transaction<Tables>, organizationId: string) =>
  trx
    .selectFrom("handoffs")
    .select(["id", "organizationId", "teamId", "targets", "answeredAt", "nextMet", "nextMissed"])
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

function parseTargets({ targets }: Pick<Request, "targets">): ReplyTargets {
  return targets === null ? {} : JSON.parse(targets);
}

async function store(
  trx: Transaction<Tables>,
  { id, organizationId }: Pick<HandoffRow, "id" | "organizationId">,
  { targets, ...columns }: Changes,
): Promise<void> {
  await trx
    .updateTable("handoffs")
    .set({ ...columns, targets: JSON.stringify(targets), warnAt: findNextTarget(targets)?.warnAt ?? null })
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .execute();
}
