import Type, { type Static } from "typebox";
import { OfficeHours, Person } from "../handoff/handoff.ts";
import { maxOpenMinutes } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { idParams, inEnvelope, nullable, ref, Success, stringEnum, Timestamp } from "../schema.ts";

const tags = ["Teams"];
const account = { access: "account" } as const;

export const maxTeams = 50;
export const maxTeamMembers = 100;

/** How conversations that wait for a team get a member. */
export const teamAssignments = ["manual", "round_robin", "least_busy"] as const;
export type TeamAssignment = (typeof teamAssignments)[number];

const minutes = (description: string) => nullable(Type.Integer({ minimum: 1, maximum: maxOpenMinutes, description }));

const TeamTargets = Type.Object(
  {
    firstAnswer: minutes("From the request for a person to a member's first answer. `null` sets no target."),
    nextAnswer: minutes("From the visitor's first unanswered message to the next answer"),
    resolution: minutes("From the request for a person until the handoff ends"),
  },
  { description: "Targets for replies, in minutes within the team's office hours" },
);
export type TeamTargets = Static<typeof TeamTargets>;

const TeamEscalation = Type.Object({
  teamId: Type.String({ minLength: 1, maxLength: 100, description: "The team that the conversation passes to" }),
  afterMinutes: Type.Integer({
    minimum: 1,
    maximum: maxOpenMinutes,
    description: "Minutes within the team's office hours that a visitor waits without a member",
  }),
});
export type TeamEscalation = Static<typeof TeamEscalation>;

const MemberInput = Type.Object({
  userId: Type.String({ minLength: 1, maxLength: 100, description: "A member of the organization" }),
  capacity: Type.Integer({
    minimum: 1,
    maximum: 1_000,
    description: "How many of the team's conversations the member can have before no further one is assigned to them",
  }),
});
export type TeamMemberInput = Static<typeof MemberInput>;

const teamFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 60,
    pattern: textPatterns.notBlank,
    description: "What members call it",
  }),
  description: nullable(
    Type.String({
      maxLength: 500,
      description:
        "What the team is for. Agents choose among the teams that have a description when they request a person.",
    }),
  ),
  officeHours: Type.Unsafe<OfficeHours | null>({
    anyOf: [OfficeHours, { type: "null" }],
    description: "When the team works. `null` means always.",
  }),
  assignment: stringEnum(
    teamAssignments,
    "`manual`: members take conversations themselves. Otherwise a waiting conversation goes to a present member below their capacity: the one whose last automatic assignment is the longest ago (`round_robin`), or who has the fewest of the team's conversations (`least_busy`).",
  ),
  targets: TeamTargets,
  escalation: Type.Unsafe<TeamEscalation | null>({
    anyOf: [TeamEscalation, { type: "null" }],
    description: "The team that takes over when no member of this one takes a conversation in time, once per request",
  }),
};
const { name, description, officeHours, assignment, targets, escalation } = teamFields;

/** A group of members that conversations are assigned to. */
export const Team = Type.Object(
  {
    id: Type.String(),
    ...teamFields,
    members: Type.Array(Type.Object({ ...Person.properties, capacity: MemberInput.properties.capacity })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: "Team" },
);
export type Team = Static<typeof Team>;

const members = Type.Array(MemberInput, { maxItems: maxTeamMembers, description: "Replaces the team's members" });
const settings = {
  description: Type.Optional(description),
  officeHours: Type.Optional(officeHours),
  assignment: Type.Optional(assignment),
  targets: Type.Optional(Type.Partial(targets, { description: "The targets to set" })),
  escalation: Type.Optional(escalation),
  members: Type.Optional(members),
};

export const listTeams = {
  method: "GET",
  url: "/teams",
  config: account,
  schema: { tags, summary: "List teams by name", response: { 200: inEnvelope(Type.Array(ref(Team))) } },
} as const;

export const createTeam = {
  method: "POST",
  url: "/teams",
  config: account,
  schema: {
    tags,
    summary: "Create a team",
    description: `An organization can have up to ${maxTeams} teams with up to ${maxTeamMembers} members each.`,
    body: Type.Object({ name, ...settings }),
    response: { 201: inEnvelope(ref(Team)) },
  },
} as const;

export const getTeam = {
  method: "GET",
  url: "/teams/:id",
  config: account,
  schema: { tags, summary: "Read a team", params: idParams("team"), response: { 200: inEnvelope(ref(Team)) } },
} as const;

export const updateTeam = {
  method: "PATCH",
  url: "/teams/:id",
  config: account,
  schema: {
    tags,
    summary: "Update a team. New hours and targets apply to requests from then on.",
    params: idParams("team"),
    body: Type.Object({ name: Type.Optional(name), ...settings }),
    response: { 200: inEnvelope(ref(Team)) },
  },
} as const;

export const deleteTeam = {
  method: "DELETE",
  url: "/teams/:id",
  config: account,
  schema: {
    tags,
    summary: "Delete a team. Its conversations keep their members, and waiting ones wait for everyone.",
    params: idParams("team"),
    response: { 200: inEnvelope(Success) },
  },
} as const;
