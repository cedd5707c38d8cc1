import * as contract from "@foyer/contract";
import type { FastifyRequest } from "fastify";
import { credentialId, requirePrincipal } from "../../auth/sessions/authenticate.ts";
import { invalid } from "../../errors.ts";
import type { App } from "../../http/app.ts";
import { withBodyRules } from "../../http/body-rules.ts";
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
    ...withBodyRules<NoteBody>(({ body, refused }) => {
      if (!refused.has("text") && !refused.has("attachments")) checkText(body);
    }),
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      checkText(request.body);
      const scope = credentialId(principal);
      const { text, attachments } = request.body;
      const note = { author: readAuthor(request), text, attachments: { ids: attachments ?? [], uploaderId: scope } };
      const data = await idempotency.run({ request, reply, scope }, (keep) =>
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

type NoteBody = { text?: string; attachments?: readonly string[] | null };

/** @throws 400 for a note without text and attachments */
function checkText({ text = "", attachments }: NoteBody): void {
  if (text.trim() !== "" || (attachments?.length ?? 0) > 0) return;
  throw invalid("text", "must not be empty without `attachments`", "min_length");
}

function readAuthor(request: FastifyRequest): NoteAuthor {
  const user = request.signedIn?.user;
  if (!user) return { userId: null, name: requirePrincipal(request).name };
  return { userId: user.id, name: user.name || user.email };
}
