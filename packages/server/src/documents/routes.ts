import { Readable } from "node:stream";
import * as contract from "@foyer/contract";
import { isAtLeast } from "@foyer/contract/rules/roles";
import type { FastifyRequest } from "fastify";
import { credentialId, requirePrincipal } from "../auth/sessions/authenticate.ts";
import { AppError } from "../errors.ts";
import type { App } from "../http/app.ts";
import { formatAttachment } from "../http/attachment.ts";
import { withBodyRules } from "../http/body-rules.ts";
import type { Idempotency } from "../http/idempotency.ts";
import { createRateLimit } from "../plans/rate-limit.ts";
import type { DocumentTrash } from "./document-trash.ts";
import { fileLimits } from "./extract/limits.ts";
import { type DocumentService, fileTooLargeError } from "./service.ts";

/** Retries per minute and organization. A request that retries several documents counts once. */
const RETRIES_PER_MINUTE = 60;
/** The audit log names this many of the documents that a bulk action changes. */
const MAX_RECORDED_NAMES = 20;

export function documentRoutes(
  app: App,
  { documents, trash, idempotency }: { documents: DocumentService; trash: DocumentTrash; idempotency: Idempotency },
): void {
  const organizationOf = (request: FastifyRequest) => requirePrincipal(request).organizationId;
  const retries = createRateLimit(RETRIES_PER_MINUTE, "retries of documents");
  readRoutes(app, documents);
  uploadRoute(app, documents, idempotency);
  app.route({
    ...contract.createDocument,
    ...withBodyRules<contract.DocumentCreate>((part) => documents.checkPartOfNew(part)),
    handler: async (request, reply) => {
      const principal = requirePrincipal(request);
      const { status, document } = await idempotency.run({ request, reply, scope: credentialId(principal) }, (keep) =>
        documents.create(principal, request.body, keep),
      );
      return reply.status(status).send(document);
    },
  });
  app.route({
    ...contract.putDocumentByKey,
    ...withBodyRules<contract.DocumentCreate>((part) => documents.checkPartOfNew(part)),
    handler: async (request, reply) => {
      const { externalKey } = request.params;
      const { status, document } = await documents.putByKey(requirePrincipal(request), externalKey, request.body);
      return reply.status(status).send(document);
    },
  });
  app.route({
    ...contract.updateDocument,
    ...withBodyRules<contract.DocumentChanges, { id: string }>((part, request) =>
      documents.checkPart(organizationOf(request), request.params.id, part),
    ),
    handler: async (request, reply) => {
      const saved = await documents.update(organizationOf(request), request.params.id, request.body);
      return reply.status(saved.status).send(saved.document);
    },
  });
  app.route({
    ...contract.deleteDocument,
    handler: async (request) => {
      await documents.delete(organizationOf(request), request.params.id);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.trashDocument,
    handler: async (request) => {
      const { organizationId, name } = requirePrincipal(request);
      return { data: await trash.trash({ organizationId, id: request.params.id }, name), error: null };
    },
  });
  app.route({
    ...contract.restoreDocument,
    handler: async (request) => {
      const { organizationId, plan } = requirePrincipal(request);
      await trash.restore({ organizationId, id: request.params.id }, plan);
      return { data: { success: true as const }, error: null };
    },
  });
  app.route({
    ...contract.retryDocument,
    handler: async (request, reply) => {
      await retries.consume(organizationOf(request));
      return reply.status(202).send(await documents.retry(organizationOf(request), request.params.id));
    },
  });
  app.route({
    ...contract.changeDocuments,
    handler: async (request) => {
      const { ids, action } = request.body;
      if (action === "delete" && !isAtLeast(requirePrincipal(request).role, "admin")) {
        throw new AppError("FORBIDDEN", "You need the admin role to delete documents permanently. Use `trash`.");
      }
      // Read before the action, which may delete the documents.
      const names = await documents.titlesOf(organizationOf(request), ids);
      request.auditDetails = { action, count: names.length, names: names.slice(0, MAX_RECORDED_NAMES) };
      if (action === "trash") {
        const { organizationId, name } = requirePrincipal(request);
        return { changed: await trash.trashAll(organizationId, ids, name) };
      }
      if (action === "retry") await retries.consume(organizationOf(request));
      return { changed: await documents.bulk(organizationOf(request), ids, action) };
    },
  });
}

function readRoutes(app: App, documents: DocumentService): void {
  const organizationOf = (request: FastifyRequest) => requirePrincipal(request).organizationId;
  app.route({
    ...contract.listDocuments,
    handler: async (request) => documents.list(organizationOf(request), request.query),
  });
  app.route({
    ...contract.getDocumentLimits,
    handler: async (request) => documents.limits(requirePrincipal(request), request.query.agentId),
  });
  app.route({
    ...contract.searchDocuments,
    handler: async (request) => documents.search(requirePrincipal(request), request.body),
  });
  app.route({
    ...contract.getDocument,
    handler: async (request) => documents.get(organizationOf(request), request.params.id),
  });
  app.route({
    ...contract.getDocumentText,
    handler: async (request) => documents.text(organizationOf(request), request.params.id, request.query),
  });
  app.route({
    ...contract.listDocumentChunks,
    handler: async (request) => documents.chunks(organizationOf(request), request.params.id, request.query),
  });
  app.route({
    ...contract.getDocumentFile,
    handler: async (request, reply) => {
      const { title, mimeType, content } = await documents.file(organizationOf(request), request.params.id);
      // Force a download, so that an uploaded HTML file never runs on our origin.
      reply.header("content-disposition", formatAttachment(title));
      return reply.type(mimeType).send(Readable.from(content, { objectMode: false }) as never);
    },
  });
}

/** Registers the upload in its own scope, where bodies of any type are passed to the handler as a stream. */
function uploadRoute(app: App, documents: DocumentService, idempotency: Idempotency): void {
  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.route({
      ...contract.uploadDocument,
      bodyLimit: fileLimits.maxFileBytes,
      handler: async (request, reply) => {
        const principal = requirePrincipal(request);
        if (Number(request.headers["content-length"]) > fileLimits.maxFileBytes) throw fileTooLargeError();
        const file = await documents.receive(principal, {
          agentId: request.query.agentId,
          name: request.query.name,
          body: readBody(request),
          contentType: request.headers["content-type"],
        });
        const call = { request, reply, scope: credentialId(principal), sent: file.sha256 };
        let isUsed = false;
        const { status, document } = await idempotency.run(call, (keep) => {
          isUsed = true;
          return documents.addFile(principal, request.query, { file, keep });
        });
        if (!isUsed) documents.discard(file.id);
        return reply.status(status).send(document);
      },
    });
  });
}

/** The body as a stream. Fastify provides none for a request without a body. */
function readBody(request: FastifyRequest): AsyncIterable<Buffer> | Iterable<Buffer> {
  return request.body instanceof Readable ? request.body : [];
}
