import Type, { type Static } from "typebox";
import { maxEmailLength } from "../rules/limits.ts";
import { idParams, ref, Success, stringEnum, Timestamp } from "../schema.ts";
import { roles } from "./auth.ts";

export const Member = Type.Object(
  {
    id: Type.String({ description: "Id of the user. `recipientIds` of email actions take these ids." }),
    name: Type.String(),
    email: Type.String(),
    role: stringEnum(roles),
    joinedAt: Timestamp,
  },
  { $id: "Member" },
);
export type Member = Static<typeof Member>;

export const Invitation = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    role: stringEnum(roles),
    url: Type.String({ description: "Link for the invited person, who signs in or up with the invited address" }),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: "Invitation" },
);
export type Invitation = Static<typeof Invitation>;

/** A link that could not be emailed, on a server without email. */
export const PendingLink = Type.Object(
  {
    kind: stringEnum(["sign-in", "password-reset"]),
    email: Type.String(),
    url: Type.String(),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  },
  { $id: "PendingLink" },
);
export type PendingLink = Static<typeof PendingLink>;

const tags = ["Members"];
const config = { access: "session" } as const;
const memberParams = idParams("user");
const invitationParams = idParams("invitation");

export const listMembers = {
  method: "GET",
  url: "/members",
  config: { access: "account" },
  schema: { tags, summary: "List members", response: { 200: Type.Array(ref(Member)) } },
} as const;

export const updateMember = {
  method: "PATCH",
  url: "/members/:id",
  config,
  schema: {
    tags,
    summary: "Change a member's role",
    params: memberParams,
    body: Type.Object({ role: stringEnum(roles, "The new role") }),
    response: { 200: ref(Member) },
  },
} as const;

export const removeMember = {
  method: "DELETE",
  url: "/members/:id",
  config,
  schema: {
    tags,
    summary: "Remove a member. Their sessions in this organization end immediately.",
    params: memberParams,
    response: { 200: Success },
  },
} as const;

export const listPendingLinks = {
  method: "GET",
  url: "/members/links",
  config,
  schema: {
    tags,
    summary: "List sign-in and reset links that could not be sent by email, newest first",
    response: { 200: Type.Array(ref(PendingLink)) },
  },
} as const;

export const listInvitations = {
  method: "GET",
  url: "/invitations",
  config,
  schema: { tags, summary: "List open invitations", response: { 200: Type.Array(ref(Invitation)) } },
} as const;

export const createInvitation = {
  method: "POST",
  url: "/invitations",
  config,
  schema: {
    tags,
    summary: "Invite a person for seven days. Replaces an earlier invitation to the same address.",
    body: Type.Object({
      email: Type.String({
        format: "email",
        minLength: 3,
        maxLength: maxEmailLength,
        description: "Address of the invited person",
      }),
      role: stringEnum(roles, "The role of the new member"),
    }),
    response: { 201: ref(Invitation) },
  },
} as const;

export const deleteInvitation = {
  method: "DELETE",
  url: "/invitations/:id",
  config,
  schema: { tags, summary: "Revoke an invitation", params: invitationParams, response: { 200: Success } },
} as const;

/** Public, because the invitation's id is unguessable: only someone with the link can call it. */
export const getInvitation = {
  method: "GET",
  url: "/invitations/:id",
  config: { access: "public" },
  schema: {
    tags,
    summary: "Read an invitation",
    params: invitationParams,
    response: {
      200: Type.Object({
        id: Type.String(),
        email: Type.String(),
        role: stringEnum(roles),
        organizationName: Type.String(),
      }),
    },
  },
} as const;

export const acceptInvitation = {
  method: "POST",
  url: "/invitations/:id/accept",
  config: { access: "user" },
  schema: {
    tags,
    summary: "Accept an invitation. The session must belong to the invited address, and switches to the organization.",
    params: invitationParams,
    response: { 200: Success },
  },
} as const;
