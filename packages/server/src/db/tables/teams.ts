import type { TeamAssignment } from "@foyer/contract";
import type { Generated } from "kysely";
import type { Instant, Json } from "./column-types.ts";

/** Tables for teams of members, see inbox/teams/. */
export type TeamTables = { teams: TeamRow; teamMembers: TeamMemberTable };

export type TeamRow = {
  id: string;
  organizationId: string;
  name: string;
  description: string | null;
  /** null when the team always works */
  officeHours: Json | null;
  assignment: TeamAssignment;
  /** targets in minutes within the office hours */
  firstAnswer: number | null;
  nextAnswer: number | null;
  resolution: number | null;
  /** the team that takes over `escalateAfter` minutes later; null when it was deleted */
  escalationTeamId: string | null;
  escalateAfter: number | null;
  createdAt: Instant;
  updatedAt: Instant;
};

type TeamMemberRow = {
  organizationId: string;
  teamId: string;
  userId: string;
  /** how many of the team's conversations the member can have before no further one is assigned automatically */
  capacity: number;
  /** when a conversation was last assigned to the member automatically; 0 if never */
  lastAssignedAt: Instant;
};

type TeamMemberTable = Omit<TeamMemberRow, "lastAssignedAt"> & { lastAssignedAt: Generated<Instant> };
