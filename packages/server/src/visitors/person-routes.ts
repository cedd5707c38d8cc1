import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { credentialId, requirePrincipal } from "../auth/sessions/authenticate.ts";
import type { App } from "../http/app.ts";
import type { Idempotency } from "../http/idempotency.ts";
import type { PersonService } from "./person.ts";

export function personRoutes(app: App, people: PersonService, idempotency: Idempotency): void {
  app.route({
    ...contract.getVisitor,
    handler: async (request) => ({
      data: await people.get(requirePrincipal(request).organizationId, request.params.key),
      error: null,
    }),
  });
  app.route({
    ...contract.createVisitorNote,
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const note = { author: readAuthor(request), text: request.body.text };
      const data = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        people.createNote(principal.organizationId, request.params.key, { ...note, keep }),
      );
      return reply.status(201).send({ data, error: null });
    },
  });
  app.route({
    ...contract.deleteVisitorNote,
    handler: async (request) => {
      const { key, noteId } = request.params;
      await people.deleteNote(requirePrincipal(request).organizationId, key, noteId);
      return { data: { success: true as const }, error: null };
    },
  });
}

function readAuthor(request: FastifyRequest) {
  const user = request.signedIn?.user;
  if (!user) return { userId: null, name: requirePrincipal(request).name };
  return { userId: user.id, name: user.name || user.email };
}
