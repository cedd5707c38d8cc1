import * as contract from "@foyer/contract";
import type { App } from "../../http/app.ts";
import { withBodyRules } from "../../http/body-rules.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { ConsumeAttempt } from "../consume-attempt.ts";
import { readEmailAddress } from "../email-address.ts";
import { requirePrincipal, requireSignedIn } from "../sessions/authenticate.ts";
import type { MemberService } from "./service.ts";

/** Lists the links that could not be sent by email. */
type PendingLinks = { listPending(organizationId: string): Promise<contract.PendingLink[]> };
type Parts = { members: MemberService; mails: PendingLinks; audit: AuditLog; consumeAttempt: ConsumeAttempt };

export function memberRoutes(app: App, { members, mails, audit, consumeAttempt }: Parts): void {
  app.route({ ...contract.listMembers, handler: async (request) => members.list(requirePrincipal(request)) });
  app.route({
    ...contract.updateMember,
    handler: async (request) => members.update(requirePrincipal(request), request.params.id, request.body.role),
  });
  app.route({
    ...contract.removeMember,
    handler: async (request) => {
      await members.remove(requirePrincipal(request), request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.listPendingLinks,
    handler: async (request, reply) => {
      reply.header("cache-control", "no-store");
      return mails.listPending(requirePrincipal(request).organizationId);
    },
  });
  app.route({
    ...contract.listInvitations,
    handler: async (request) => members.listInvitations(requirePrincipal(request)),
  });
  app.route({
    ...contract.createInvitation,
    ...withBodyRules<{ email: string }>(({ body: { email } }) => {
      if (email !== undefined) readEmailAddress("email", email);
    }),
    handler: async (request, reply) => {
      const { email, role } = request.body;
      await consumeAttempt(request, email, "link");
      return reply
        .status(201)
        .send(await members.invite(requirePrincipal(request), requireSignedIn(request), { to: email, role }));
    },
  });
  app.route({
    ...contract.deleteInvitation,
    handler: async (request) => {
      await members.revoke(requirePrincipal(request), request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.getInvitation,
    handler: async (request) => members.readInvitation(request.params.id),
  });
  app.route({
    ...contract.acceptInvitation,
    handler: async (request) => {
      const session = await members.accept(requireSignedIn(request), request.params.id);
      await audit.recordOwnAction(request, session, "accept-invitation");
      return { success: true as const };
    },
  });
}
