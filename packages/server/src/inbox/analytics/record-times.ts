import { countOpenTime } from "@foyer/contract/rules/office-hours";
import type { Transaction } from "kysely";
import { parseHandoff } from "../../agents/handoff.ts";
import { type ChangeListener, onHandoff } from "../../conversations/log/change.ts";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import type { Tables } from "../../db/tables.ts";
import { parseOfficeHours } from "../teams/service.ts";

/**
 * Records how long a visitor waited for the first answer and for the end, and how long a member had the conversation,
 * within the office hours that applied then. The hours are the team's, or the agent's for a request without a team.
 */
export const recordTimes: ChangeListener = onHandoff(async (trx, change) => {
  if (change.kind === "answered") {
    const hours = await readHours(trx, change.handoff);
    const openAnswerMs = countOpenTime(hours, change.handoff.requestedAt, change.at);
    await store(trx, change.handoff, { openAnswerMs });
  } else if (change.kind === "returned" || change.kind === "closed") {
    const { requestedAt, takenAt, endedAt } = change.handoff;
    const hours = await readHours(trx, change.handoff);
    const until = endedAt ?? Date.now();
    const openHandlingMs = takenAt === null ? null : countOpenTime(hours, takenAt, until);
    await store(trx, change.handoff, { openEndMs: countOpenTime(hours, requestedAt, until), openHandlingMs });
  }
});

async function readHours(
  trx: Transaction<Tables>,
  { organizationId, agentId, teamId }: Pick<HandoffRow, "organizationId" | "agentId" | "teamId">,
) {
  const team =
    teamId === null
      ? undefined
      : await trx
          .selectFrom("teams")
          .select("officeHours")
          .where("id", "=", teamId)
          .where("organizationId", "=", organizationId)
          .executeTakeFirst();
  if (team) return parseOfficeHours(team);
  const agent = await trx
    .selectFrom("agents")
    .select("handoff")
    .where("id", "=", agentId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return agent ? parseHandoff(agent).hours : null;
}

async function store(
  trx: Transaction<Tables>,
  { id, organizationId }: Pick<HandoffRow, "id" | "organizationId">,
  times: Partial<Pick<HandoffRow, "openAnswerMs" | "openEndMs" | "openHandlingMs">>,
): Promise<void> {
  await trx
    .updateTable("handoffs")
    .set(times)
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .execute();
}
