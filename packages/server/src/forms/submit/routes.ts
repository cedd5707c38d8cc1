import { hash } from "node:crypto";
import type { VerifiedVisitor } from "@foyer/contract";
import * as contract from "@foyer/contract";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { verifyVisitor } from "../../agents/identity/verified-visitor.ts";
import type { ConversationService } from "../../conversations/service.ts";
import type { AgentRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import type { App } from "../../http/app.ts";
import { sendError, toAppError } from "../../http/error-replies.ts";
import type { Idempotency } from "../../http/idempotency.ts";
import { countBody, createRateLimit, findLimitedClient } from "../../plans/rate-limit.ts";
import type { FormAnalytics } from "../analytics/form-analytics.ts";
import type { FormService } from "../service.ts";
import type { DecodedFile } from "./read-submission.ts";
import { registerSubmissionBodies } from "./submission-body.ts";
import type { SubmitForm } from "./submit-form.ts";

/** The maximum size of a body: four files of the maximum size in base64, and room for the rest. */
const BODY_LIMIT = 24 * 1024 * 1024;

/** Endpoints that visitors use to submit forms. */
export function submitRoutes(
  app: App,
  { config, encryption }: Deps,
  parts: {
    submitForm: SubmitForm;
    service: FormService;
    analytics: FormAnalytics;
    conversations: Pick<ConversationService, "standingIn">;
    idempotency: Idempotency;
  },
): void {
  const { submitForm, service, analytics, conversations, idempotency } = parts;
  const submissions = createRateLimit(config.limits.submitPerIp, "submissions from your address");
  const events = createRateLimit(config.limits.eventsPerIp, "events from your address");
  const consume = (limit: typeof events, request: FastifyRequest, points = 1) =>
    limit.consume(findLimitedClient(request, config), request, points);

  app.register(async (scope: App) => {
    registerSubmissionBodies(scope);
    scope.route({
      ...contract.submitForm,
      bodyLimit: BODY_LIMIT,
      errorHandler: handleTooLarge,
      onRequest: (request) => consume(submissions, request),
      handler: async (request, reply) => {
        const { body, submittedFiles: files } = request;
        const { tool, agent } = await submitForm.formFor(body.toolId, request.headers.origin);
        const provenVisitor = await verifyVisitor(body, agent, encryption);
        const { hasAccess: hasConversationProof, isForeign } = await conversations.standingIn(agent, body, {
          token: request.conversationToken,
          organizationId: request.principal?.organizationId ?? null,
          userId: provenVisitor?.id ?? null,
        });
        // If someone else began the conversation, that person may have filled in the form for the visitor, so the
        // visitor's proof is ignored.
        const verified = isForeign ? null : provenVisitor;
        submitForm.checkVisitor(tool, { verified, isForeign });
        const { userToken: _, ...fields } = body;
        const visitor = resolveVisitor(body, verified, agent);
        const scope = `${tool.agentId}:${body.sessionId ?? ""}`;
        // Compare the visitor instead of the token, because a retry may have a renewed token for the same user.
        const sent =
          request.headers["idempotency-key"] === undefined ? body : { fields, visitor, files: digestFiles(files) };
        return idempotency.run({ request, reply, scope, sent }, (saveResponse) =>
          submitForm.submit(tool, { ...body, ...visitor, hasConversationProof }, { files, saveResponse }),
        );
      },
    });
  });
  app.route({
    ...contract.reportClientResult,
    onRequest: (request) => consume(submissions, request),
    handler: async (request) => {
      await service.reportClientResult(request.body, request.headers.origin);
      return { success: true as const };
    },
  });
  app.route({
    ...contract.recordFormEvent,
    onRequest: (request) => consume(events, request, countBody(request)),
    handler: async (request) => {
      const { tool } = await submitForm.formFor(request.body.toolId, request.headers.origin);
      await analytics.record(tool, request.body);
      return { success: true as const };
    },
  });
}

/**
 * Determines the visitor of a submission. If the agent requires a verified identity, a visitor without one is
 * anonymous.
 */
function resolveVisitor({ userId }: contract.FormSubmit, verified: VerifiedVisitor | null, agent: AgentRow) {
  const claimedId = agent.requireIdentity === 1 ? null : userId || null;
  return { userId: verified?.id ?? claimedId, verified };
}

/** Returns digests of the files, which are compared when an Idempotency-Key is sent again. */
function digestFiles(files: ReadonlyMap<string, DecodedFile>) {
  const digest = ({ prefix, content }: DecodedFile) => [prefix, hash("sha256", content)];
  return Object.fromEntries([...files].map(([field, file]) => [field, digest(file)]));
}

function handleTooLarge(error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply) {
  const appError = toAppError(error);
  const message = "The form's files are too large in total. A submission is limited to 24 MiB.";
  sendError(appError.code === "PAYLOAD_TOO_LARGE" ? new AppError("FILE_TOO_LARGE", message) : appError, request, reply);
}
