import { maxTeams, type OfficeHours, type Team, type TeamMemberInput, type TeamTargets } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { checkOfficeHours } from "../../agents/handoff.ts";
import { areMembers } from "../../auth/members/members.ts";
import type { ConversationLog } from "../../conversations/log/log.ts";
import { toPerson } from "../../conversations/ownership.ts";
import { isMissingReference } from "../../db/database-errors.ts";
import type { TeamRow } from "../../db/tables/teams.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import { createTeamStore } from "./store.ts";

type TeamInput = Partial<Pick<Team, "name" | "description" | "officeHours" | "assignment" | "escalation">> & {
  targets?: Partial<TeamTargets>;
  members?: TeamMemberInput[];
};

export type TeamService = ReturnType<typeof createTeamService>;

/** Manages the teams of an organization, which conversations are assigned to. */
export function createTeamService({ db }: Pick<Deps, "db">, log: Pick<ConversationLog, "leaveTeam">) {
  const store = createTeamStore(db);

  async function toTeams(organizationId: string, rows: readonly TeamRow[]): Promise<Team[]> {
    const ids = rows.map(({ id }) => id);
    const members = await store.members(organizationId, ids);
    return rows.map((row) =>
      toTeam(
        row,
        members
          .filter(({ teamId }) => teamId === row.id)
          .map(({ userId, name, capacity }) => ({ ...toPerson({ id: userId, name }, true), capacity })),
      ),
    );
  }

  async function toSingleTeam(row: TeamRow): Promise<Team> {
    const [team] = await toTeams(row.organizationId, [row]);
    if (!team) throw notFound("Team");
    return team;
  }

  async function existing(organizationId: string, id: string): Promise<TeamRow> {
    const row = isId("team", id) ? await store.get(organizationId, id) : undefined;
    if (!row) throw notFound("Team");
    return row;
  }

  /** @throws 400 when the input names something that the organization does not have */
  async function check(organizationId: string, input: TeamInput, id: string | null): Promise<void> {
    const { members = [], officeHours, escalation } = input;
    if (officeHours) checkOfficeHours("officeHours", officeHours);
    const userIds = members.map(({ userId }) => userId);
    if (new Set(userIds).size < userIds.length) throw invalid("members", "names the same member twice");
    if (userIds.length > 0 && !(await areMembers(db, organizationId, userIds))) {
      throw missingMemberError();
    }
    if (!escalation) return;
    if (escalation.teamId === id) throw invalid("escalation.teamId", "must be another team");
    if (!(await store.get(organizationId, escalation.teamId))) {
      throw missingTeamError();
    }
  }

  return {
    list: async (organizationId: string): Promise<Team[]> => toTeams(organizationId, await store.list(organizationId)),
    get: async (organizationId: string, id: string): Promise<Team> => toSingleTeam(await existing(organizationId, id)),
    /** @throws 400 for an unknown member or team, 409 when there are too many teams */
    async create(organizationId: string, input: TeamInput & { name: string }): Promise<Team> {
      await check(organizationId, input, null);
      const now = Date.now();
      const row: TeamRow = {
        id: newId("team"),
        organizationId,
        name: input.name.trim(),
        description: null,
        officeHours: null,
        assignment: "manual",
        firstAnswer: null,
        nextAnswer: null,
        resolution: null,
        escalationTeamId: null,
        escalateAfter: null,
        createdAt: now,
        ...toColumns(input),
        updatedAt: now,
      };
      const isInserted = await store
        .insert(row, input.members ?? [])
        .catch((error: unknown) => rethrowMissing(error, input));
      if (!isInserted) throw tooManyError();
      return toSingleTeam(row);
    },
    /** @throws 400 for an unknown member or team, 404 */
    async update(organizationId: string, id: string, input: TeamInput): Promise<Team> {
      await existing(organizationId, id);
      await check(organizationId, input, id);
      const changes = { ...toColumns(input), updatedAt: Date.now() };
      const row = await store
        .update({ id, organizationId }, changes, input.members)
        .catch((error: unknown) => rethrowMissing(error, input));
      if (!row) throw notFound("Team");
      return toSingleTeam(row);
    },
    async delete(organizationId: string, id: string): Promise<void> {
      await existing(organizationId, id);
      await inTransaction(db, async (trx) => {
        await log.leaveTeam(trx, organizationId, id);
        await trx.deleteFrom("teams").where("id", "=", id).where("organizationId", "=", organizationId).execute();
      });
    },
  };
}

/** Explains the error of a write that names a team or a user who was deleted since the input was checked. */
function rethrowMissing(error: unknown, { escalation, members = [] }: TeamInput): never {
  if (!isMissingReference(error)) throw error;
  if (escalation) throw missingTeamError();
  throw members.length > 0 ? missingMemberError() : error;
}

const missingTeamError = () => invalid("escalation.teamId", "names a team that does not exist", "unknown_reference");
const missingMemberError = () =>
  invalid("members", "names a user who is not a member of this organization", "unknown_reference");

function tooManyError(): AppError {
  return new AppError("CONFLICT", `An organization can have ${maxTeams} teams. Delete one before you add another.`);
}

/** The columns that the input sets. */
function toColumns({ name, description, officeHours, assignment, targets, escalation }: TeamInput) {
  return omitUndefined({
    name: name?.trim(),
    description: description === undefined ? undefined : description?.trim() || null,
    officeHours: officeHours === undefined ? undefined : officeHours && JSON.stringify(officeHours),
    assignment,
    firstAnswer: targets?.firstAnswer,
    nextAnswer: targets?.nextAnswer,
    resolution: targets?.resolution,
    escalationTeamId: escalation === undefined ? undefined : (escalation?.teamId ?? null),
    escalateAfter: escalation === undefined ? undefined : (escalation?.afterMinutes ?? null),
  });
}

/** The office hours of a team. `null` means always. */
export function parseOfficeHours({ officeHours }: Pick<TeamRow, "officeHours">): OfficeHours | null {
  return officeHours === null ? null : JSON.parse(officeHours);
}

function toTeam(row: TeamRow, members: Team["members"]): Team {
  const { escalationTeamId: teamId, escalateAfter: afterMinutes, firstAnswer, nextAnswer, resolution } = row;
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    officeHours: parseOfficeHours(row),
    assignment: row.assignment,
    targets: { firstAnswer, nextAnswer, resolution },
    escalation: teamId === null || afterMinutes === null ? null : { teamId, afterMinutes },
    members,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}
