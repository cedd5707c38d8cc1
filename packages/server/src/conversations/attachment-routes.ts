import { Readable } from "node:stream";
import * as contract from "@foyer/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { withDraft } from "../agents/draft-columns.ts";
import type { AgentService } from "../agents/service.ts";
import { credentialId } from "../auth/sessions/authenticate.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid, notFound } from "../errors.ts";
import type { App } from "../http/app.ts";
import { formatAttachment } from "../http/attachment.ts";
import { createDisconnectSignal } from "../http/disconnect-signal.ts";
import { createUploadBudget, readBody } from "../http/upload-budget.ts";
import { createRateLimit, findLimitedClient } from "../plans/rate-limit.ts";
import { accessTo } from "./access.ts";
import { requireAllowed } from "./attachments/allowed.ts";
import { fileTooLargeError } from "./attachments/attachment-error.ts";
import { decodeName } from "./attachments/clean-name.ts";
import { readMultipart, type UploadedFile } from "./attachments/read-multipart.ts";
import type { AttachmentService, Uploader } from "./attachments/service.ts";
import { isValidLink } from "./attachments/signed-link.ts";
import { readViewer } from "./routes.ts";
import type { ConversationService } from "./service.ts";

/** What the parts of a form may add to the file. */
const FORM_BYTES = 64 * 1024;

type Parts = { agents: AgentService; conversations: ConversationService; attachments: AttachmentService };

/** Uploading pictures and files of the chat, and downloading those of a conversation. */
export function attachmentRoutes(app: App, deps: Deps, parts: Parts): void {
  uploadRoute(app, deps, parts);
  app.route({
    ...contract.getAttachment,
    handler: async (request, reply) => {
      const { id, attachmentId } = request.params;
      const viewer = readViewer(request, id);
      await parts.conversations.existing(viewer, id);
      const read = await parts.attachments.read(id, attachmentId, { isMember: "organizationId" in viewer });
      return sendContent(reply, read, { isInline: request.query.inline === "1" });
    },
  });
  app.route({
    ...contract.getSignedAttachment,
    handler: async (request, reply) => {
      const { attachmentId: id } = request.params;
      const { expires, signature, inline } = request.query;
      if (!isValidLink(deps, { id, expires, signature })) {
        throw new AppError("UNAUTHORIZED", "This link has expired or was changed.");
      }
      return sendContent(reply, await parts.attachments.readLinked(id), { isInline: inline === "1" });
    },
  });
}

/** Sends the content as a download. Only pictures have been copied by the server, so only they are shown in a page. */
function sendContent(
  reply: FastifyReply,
  { row, content }: Awaited<ReturnType<AttachmentService["read"]>>,
  { isInline }: { isInline: boolean },
) {
  reply.headers({
    "content-disposition": isInline && row.width !== null ? "inline" : formatAttachment(row.name),
    "content-length": row.size,
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "cache-control": "private, max-age=3600",
    vary: "authorization, cookie",
  });
  return reply.type(row.type).send(Readable.from(content, { objectMode: false }) as never);
}

/** Registers the upload in its own scope, where bodies of any type reach the handler unread. */
function uploadRoute(app: App, deps: Deps, { agents, conversations, attachments }: Parts): void {
  const { config, encryption } = deps;
  const perAddress = createRateLimit(config.limits.attachmentsPerIp, "uploads from your address");
  const perVisitor = createRateLimit(config.limits.attachmentsPerVisitor, "uploads");
  const budgetOf = createUploadBudget();
  const ownOrigin = new URL(config.baseUrl).origin;

  /** A member or an API key of the organization that has the conversation, or null. @throws 404 */
  async function findMember(request: FastifyRequest, { agentId, conversationId }: Query): Promise<Uploader | null> {
    const { principal } = request;
    if (!principal || conversationId === undefined) return null;
    const conversation = await conversations.find({ organizationId: principal.organizationId }, conversationId);
    if (!conversation || (agentId !== undefined && conversation.agentId !== agentId)) throw notFound("Conversation");
    const agent = await agents.getPublic(conversation.agentId);
    return { agent, conversation, sessionId: null, uploaderId: credentialId(principal), address: null };
  }

  /** Who uploads, and to which conversation. @throws 400, 403 or 404 */
  async function findUploader(request: FastifyRequest, query: Query): Promise<Uploader> {
    const member = await findMember(request, query);
    if (member) return member;
    if (query.agentId === undefined) throw invalid("agentId", "is required", "required");
    const published = await agents.getPublic(query.agentId);
    // A member tries out the settings that visitors do not have yet.
    const isTest = request.signedIn?.membership?.organizationId === published.organizationId;
    const agent = isTest ? withDraft(published) : published;
    agents.checkOrigin(agent, request.headers.origin, ownOrigin);
    const { sessionId = null, conversationId } = query;
    const address = findLimitedClient(request, config);
    const { conversationToken: token } = request;
    if (conversationId === undefined) {
      if (sessionId === null) {
        throw invalid("sessionId", "send the `sessionId` of the chat, or `conversationId` with its token", "required");
      }
      requireAllowed(agent, null);
      return { agent, conversation: null, sessionId, uploaderId: null, address };
    }
    const { organizationId } = agent;
    const conversation = await conversations.find({ organizationId }, conversationId);
    const proof = { token, organizationId: null, userId: null };
    const access = conversation ? accessTo(conversation, proof, { agent, encryption }) : null;
    if (!conversation || access === null || access === "open") throw notFound("Conversation");
    requireAllowed(agent, conversation);
    return { agent, conversation, sessionId: null, uploaderId: null, address };
  }

  app.register(async (scope: App) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, _payload, done) => done(null));
    scope.route({
      ...contract.uploadAttachment,
      bodyLimit: contract.attachmentLimits.fileBytes + FORM_BYTES,
      onRequest: (request) => perAddress.consume(findLimitedClient(request, config), request),
      handler: async (request, reply) => {
        const uploader = await findUploader(request, request.query);
        const { agent, conversation, sessionId, uploaderId } = uploader;
        if (uploaderId === null) await perVisitor.consume(`${agent.id}:${conversation?.id ?? sessionId}`, request);
        const budget = budgetOf(findLimitedClient(request, config) ?? "local");
        try {
          const file = await readFile(request, budget.reserve);
          const data = await attachments.upload(uploader, file, createDisconnectSignal(reply));
          return await reply.status(201).send({ data, error: null });
        } finally {
          budget.release();
        }
      },
    });
  });
}

type Query = { agentId?: string; sessionId?: string; conversationId?: string };

/** Reads the body, or the file in it if it is a form. @throws 400 when it is too large or incomplete */
async function readFile(request: FastifyRequest, reserve: (bytes: number) => void): Promise<UploadedFile> {
  const contentType = request.headers["content-type"] ?? "";
  const isForm = /^multipart\/form-data\b/i.test(contentType);
  const maxBytes = contract.attachmentLimits.fileBytes + (isForm ? FORM_BYTES : 0);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) throw fileTooLargeError();
  const body = await readBody(request.raw, maxBytes, reserve).catch((error: unknown) => {
    throw error instanceof AppError && error.code === "PAYLOAD_TOO_LARGE" ? fileTooLargeError() : error;
  });
  const file = isForm
    ? readMultipart(body, contentType)
    : { name: decodeName(String(request.headers["x-filename"] ?? "")), bytes: body };
  if (file.bytes.length > contract.attachmentLimits.fileBytes) throw fileTooLargeError();
  return file;
}
