import type { FormField, FormSchema, PostAction, VerifiedVisitor } from "@foyer/contract";
import { readTimeZone } from "../../agents/handoff.ts";
import { toMailSender } from "../../agents/mail-sender.ts";
import { findMemberEmail } from "../../auth/members/members.ts";
import type { Deps } from "../../deps.ts";
import type { MailContent } from "../../outbound/mail-content.ts";
import { isMailAddress, normalizeAddress } from "../../outbound/smtp-address.ts";
import type { AttemptResult } from "../../outbox/attempts.ts";
import { createFailure, createPost, delivered, explainFailure } from "../../outbox/send-response.ts";
import { recordSentHosts } from "../../outbox/sent-hosts.ts";
import { createWebhookHeaders } from "../../outbox/webhook-signature.ts";
import type { MailRecipients } from "../../tools/form/mail-recipients.ts";
import type { WebhookSecrets } from "../../tools/secrets/webhook-secrets.ts";
import { recipientProblem } from "../../tools/tool-warnings.ts";
import type { SubmissionDelivery } from "../submission-delivery.ts";
import { createPayloadBody, createWebhookBody, type SubmissionContent } from "./delivery-content.ts";
import { createConfirmationContent, createEmailContent, createTeamChatBody } from "./delivery-texts.ts";
import { createFailureNotice } from "./failure-notices.ts";

/** The receiver of a delivery, as configured at the time of the submission or of the last retry. */
export type DeliveryTarget = Partial<Omit<PostAction, "type">>;

type SenderDeps = Pick<Deps, "db" | "databaseKind" | "config" | "outbound" | "mailer" | "log">;

/**
 * Sends a delivery once, by the method for its type. Failures are returned as an `AttemptResult`. Rejects only when
 * `signal` aborted the attempt or the database is unavailable, in which case no attempt is counted.
 */
export function createDeliverySender(
  deps: SenderDeps,
  { webhookSecrets, mailRecipients }: { webhookSecrets: WebhookSecrets; mailRecipients: MailRecipients },
) {
  const { db, config, mailer, log } = deps;
  const post = createPost(deps);
  const recordMove = (deliveryId: string) => (host: string) =>
    recordSentHosts(deps, db, { column: "id", ids: [deliveryId], host });

  async function sendWebhook(
    { id: deliveryId, purpose, position }: SubmissionDelivery,
    target: DeliveryTarget,
    { content, signal }: { content: SubmissionContent; signal: AbortSignal },
  ) {
    const { id: submissionId, organizationId, toolId, agentId } = content.submission;
    const body = await (target.payload ? createPayloadBody(target.payload, content) : createWebhookBody(content));
    // A webhook and an action can have the same receiver. Different ids keep the receiver from treating one of them as
    // a duplicate.
    const id = purpose === "webhook" ? submissionId : `${submissionId}.${position}`;
    const signed = createWebhookHeaders({
      id,
      sentAt: new Date(),
      body,
      secrets: await webhookSecrets.signing({ id: toolId, agentId }),
    });
    const headers = { ...lowerCaseNames(target.headers), ...signed };
    const url = target.url || target.webhookUrl || "";
    return post({ url, organizationId, headers, body, signal, onMove: recordMove(deliveryId) });
  }

  /** What emails have from the agent and the form, which can have changed since the submission. */
  async function findFacts({ organizationId, agentId, toolId }: SubmissionContent["submission"]) {
    const agent = await db
      .selectFrom("agents")
      .select(["name", "widget", "handoff"])
      .where("id", "=", agentId)
      .where("organizationId", "=", organizationId)
      .executeTakeFirstOrThrow();
    const tool = await db
      .selectFrom("tools")
      .select("formSchema")
      .where("id", "=", toolId)
      .where("agentId", "=", agentId)
      .where("organizationId", "=", organizationId)
      .executeTakeFirst();
    const form: FormSchema | null = tool?.formSchema ? JSON.parse(tool.formSchema) : null;
    return { agent, timeZone: readTimeZone(agent), fields: form?.fields ?? [] };
  }

  /** Returns the email address of the recipient, or a `problem` that explains why there is none. */
  async function resolveRecipient(
    organizationId: string,
    purpose: SubmissionDelivery["purpose"],
    target: DeliveryTarget,
  ) {
    const [address] = target.to ?? [];
    if (address === undefined) {
      const to = await findMemberEmail(db, organizationId, target.recipientIds?.[0] ?? "");
      return to ? { to } : { problem: "The recipient is no longer a member of this organization." };
    }
    if (purpose === "confirmation") return { to: address };
    const problem = recipientProblem(address, (await mailRecipients.among(organizationId, [address]))[0]);
    return problem === null ? { to: address } : { problem };
  }

  async function sendEmail(
    { purpose }: SubmissionDelivery,
    target: DeliveryTarget,
    content: SubmissionContent,
  ): Promise<AttemptResult> {
    if (!mailer.isConfigured) {
      const detail = "This server cannot send email because SMTP_URL is not set. Set it, then retry the delivery.";
      return { ...createFailure("Email is not configured", detail), isFinal: true };
    }
    const { submission } = content;
    const { organizationId } = submission;
    const { to, problem } = await resolveRecipient(organizationId, purpose, target);
    if (to === undefined) return createFailure("No recipient", problem);
    const sendMail = (mail: MailContent) => mailer.send({ to, organizationId, ...mail });
    if (purpose === "notice") await sendMail(createFailureNotice(submission, config.baseUrl));
    else {
      const { agent, ...facts } = await findFacts(submission);
      const isMember = target.to === undefined;
      const url = isMember ? `${config.baseUrl}/dashboard/forms/submissions/${submission.id}` : null;
      if (purpose === "confirmation") await sendMail(createConfirmationContent(target, content, toMailSender(agent)));
      else {
        const mail = createEmailContent(target, content, { ...facts, url });
        await mailer.send({ to, organizationId, ...mail, replyTo: findVisitorAddress(submission, facts.fields) });
      }
    }
    return delivered;
  }

  async function send(
    delivery: SubmissionDelivery,
    content: SubmissionContent,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const target: DeliveryTarget = JSON.parse(delivery.target);
    switch (delivery.type) {
      case "webhook":
        return sendWebhook(delivery, target, { content, signal });
      case "email":
        return sendEmail(delivery, target, content);
      case "team_chat":
      case "slack":
        return post({
          url: target.webhookUrl ?? "",
          organizationId: content.submission.organizationId,
          headers: {},
          body: createTeamChatBody(target, content),
          signal,
          onMove: recordMove(delivery.id),
        });
    }
  }

  return (delivery: SubmissionDelivery, content: SubmissionContent, signal: AbortSignal): Promise<AttemptResult> =>
    send(delivery, content, signal).catch((error: unknown) => explainFailure(error, signal, log));
}

/**
 * Converts header names to lower case, so that our headers replace the owner's headers instead of being sent in
 * addition.
 */
function lowerCaseNames(headers: DeliveryTarget["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The address of the visitor who sent the form: the first answer to a field for one, or the verified one. */
function findVisitorAddress(
  { formData, verifiedVisitor }: SubmissionContent["submission"],
  fields: readonly FormField[],
): string | undefined {
  const answers: Record<string, unknown> = JSON.parse(formData);
  const verified: VerifiedVisitor | null = JSON.parse(verifiedVisitor ?? "null");
  const addresses = fields.filter(({ type }) => type === "email").map(({ name }) => answers[name]);
  return [...addresses, verified?.email]
    .map((address) => (typeof address === "string" ? normalizeAddress(address) : ""))
    .find(isMailAddress);
}
