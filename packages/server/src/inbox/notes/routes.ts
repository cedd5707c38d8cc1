import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { credentialId, requirePrincipal } from "../../auth/sessions/authenticate.ts";
import type { App } from "../../http/app.ts";
import type { Idempotency } from "../../http/idempotency.ts";
import type { NoteAuthor, NoteService } from "./service.ts";

export function noteRoutes(app: App, notes: NoteService, idempotency: Idempotency): void {
  app.route({
    ...contract.listNotes,
    handler: async (request) => ({
      data: await notes.list(requirePrincipal(request).organizationId, request.params.id),
      error: null,
    }),
  });
  app.route({
    ...contract.createNote,
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const note = { author: readAuthor(request), text: request.body.text };
      const data = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        notes.create(principal.organizationId, request.params.id, { ...note, keep }),
      );
      return reply.status(201).send({ data, error: null });
    },
  });
  app.route({
    ...contract.deleteNote,
    handler: async (request) => {
      const { id, noteId } = request.params;
      await notes.delete(requirePrincipal(request).organizationId, id, noteId);
      return { data: { success: true as const }, error: null };
    },
  });
}

function readAuthor(request: FastifyRequest): NoteAuthor {
  const user = request.signedIn?.user;
  if (!user) return { userId: null, name: requirePrincipal(request).name };
  return { userId: user.id, name: user.name || user.email };
}
