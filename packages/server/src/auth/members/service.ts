import type { Invitation, Member, Role } from "@foyer/contract";
import { toRole } from "@foyer/contract/rules/roles";
import { DAY_MS } from "@foyer/contract/rules/time";
import type { InvitationRow } from "../../db/tables/sign-in.ts";
import { AppError, notFound } from "../../errors.ts";
import { newId } from "../../ids.ts";
import type { AuthDeps } from "../auth-deps.ts";
import { readEmailAddress } from "../email-address.ts";
import type { Principal } from "../sessions/authenticate.ts";
import type { SignedIn } from "../sessions/sessions.ts";
import { checkInvitationCaps } from "./invitation-caps.ts";
import * as invitations from "./invitation-store.ts";
import { createInvitationToken } from "./invitation-token.ts";
import { changeMember, findMember, listMembers, type OnMemberRemoved } from "./store.ts";

const INVITATION_MS = 7 * DAY_MS;
/** Sends an invitation in the background. */
type InvitationMails = {
  invitation(to: string, mail: { organization: string; inviter: { name: string; email: string }; url: string }): void;
};

export type MemberService = ReturnType<typeof createMemberService>;

/** Members of an organization and invitations to it. */
export function createMemberService(
  { db, config, keys, sessions, encryption }: Pick<AuthDeps, "db" | "config" | "keys" | "sessions" | "encryption">,
  mails: InvitationMails,
  onMemberRemoved: OnMemberRemoved,
) {
  const toInvitation = ({
    id,
    email,
    role,
    createdAt,
    expiresAt,
  }: Omit<InvitationShape, "organizationId">): Invitation => ({
    id,
    email,
    role: toRole(role),
    url: `${config.baseUrl}/dashboard/invitations/${id}`,
    createdAt: toIsoDate(createdAt),
    expiresAt: toIsoDate(expiresAt),
  });

  async function change({ organizationId, role: own }: Principal, userId: string, role: Role | null): Promise<void> {
    if (own !== "owner" && role === "owner") throw ownerRequiredError();
    const canChange = (current: string) => own === "owner" || current !== "owner";
    const outcome = await changeMember(db, { organizationId, userId, role }, { canChange, onMemberRemoved });
    // The member's keys were deleted or have a new role. Other processes notice within 5 s.
    keys.clearCache();
    if (outcome === "unknown") throw notFound("Member");
    if (outcome === "forbidden") throw ownerRequiredError();
    if (outcome === "last owner") {
      throw new AppError("CONFLICT", "This is the only owner. Make another member an owner first.");
    }
  }

  return {
    async list({ organizationId }: Principal): Promise<Member[]> {
      return (await listMembers(db, organizationId)).map(toMember);
    },
    /** @throws 403 when an admin changes an owner or promotes a member to owner, 409 for the only owner */
    async update(principal: Principal, userId: string, role: Role): Promise<Member> {
      await change(principal, userId, role);
      const member = await findMember(db, principal.organizationId, userId);
      if (!member) throw notFound("Member");
      return toMember(member);
    },
    /** Throws the same errors as `update`. */
    remove: (principal: Principal, userId: string): Promise<void> => change(principal, userId, null),

    /**
     * Hides invitations for owners from admins, because the link is all that an admin would need to become an owner.
     */
    async listInvitations({ organizationId, role: own }: Principal): Promise<Invitation[]> {
      const open = await invitations.openInvitations(db, organizationId);
      return open.filter(({ role }) => own === "owner" || role !== "owner").map(toInvitation);
    },
    /**
     * @throws 403 when an admin invites an owner or the inviter's own address is not verified, 409 for an existing
     * member
     */
    async invite(
      { organizationId, role: own }: Principal,
      inviter: SignedIn,
      { to, role }: { to: string; role: Role },
    ): Promise<Invitation> {
      if (own !== "owner" && role === "owner") throw ownerRequiredError();
      if (!inviter.user.emailVerified) {
        throw new AppError("FORBIDDEN", "Verify your own email address before you invite others.");
      }
      const email = readEmailAddress("email", to);
      const now = Date.now();
      await checkInvitationCaps({ db, config }, organizationId, now);
      const times = { createdAt: toIsoDate(now), expiresAt: toIsoDate(now + INVITATION_MS) };
      const row = { id: newId("invitation"), organizationId, email, role, inviterId: inviter.user.id, ...times };
      const outcome = await invitations.insertInvitation(db, row);
      if (outcome !== "done") throw invitationError(outcome, email);
      const invitation = toInvitation(row);
      mails.invitation(email, {
        organization: inviter.membership?.name ?? "",
        inviter: inviter.user,
        url: `${invitation.url}?token=${createInvitationToken(encryption, invitation.id)}`,
      });
      return invitation;
    },
    /** @throws 404 for an invitation that the principal cannot see */
    async revoke({ organizationId, role: own }: Principal, id: string): Promise<void> {
      if (!(await invitations.cancelInvitation(db, { organizationId, id, byOwner: own === "owner" })))
        throw notFound("Invitation");
    },
    async readInvitation(id: string) {
      const invitation = await invitations.findInvitation(db, id);
      if (!invitation) throw notFound("Invitation");
      return { ...invitation, role: toRole(invitation.role) };
    },
    /** Switches the session to that organization. @throws 404 for an unknown invitation or one for another address */
    async accept(session: SignedIn, id: string): Promise<SignedIn> {
      const organizationId = await invitations.acceptInvitation(db, id, session.user);
      if (organizationId === null) throw notFound("Invitation");
      await sessions.switchTo(session, organizationId);
      return (await sessions.find(session.token)) ?? session;
    },
  };
}

type InvitationShape = Pick<InvitationRow, "id" | "email" | "role" | "organizationId"> & {
  createdAt: string | Date;
  expiresAt: string | Date;
};

type MemberRow = Awaited<ReturnType<typeof listMembers>>[number];

function toMember({ id, name, email, role, createdAt }: MemberRow): Member {
  return { id, name, email, role: toRole(role), joinedAt: toIsoDate(createdAt) };
}

const toIsoDate = (at: string | number | Date) => new Date(at).toISOString();

function invitationError(outcome: "forbidden" | "member" | "no admin", email: string) {
  if (outcome === "member") return new AppError("CONFLICT", `${email} is already a member.`);
  // "no admin" means that the role was lowered after the request was authorized.
  return outcome === "forbidden"
    ? ownerRequiredError()
    : new AppError("FORBIDDEN", "You need the admin role for this.");
}

function ownerRequiredError() {
  return new AppError("FORBIDDEN", "Only an owner can add, change or remove owners.");
}
