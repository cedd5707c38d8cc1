import type { PostAction } from "@foyer/contract";
import type { Logger } from "pino";
import { memberEmail } from "../../auth/members/members.ts";
import { isUnavailable } from "../../db/database-errors.ts";
import type { DeliveryRow } from "../../db/form-tables.ts";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { parseRetryAfter } from "../../outbound/retry-after.ts";
import { MailError } from "../../outbound/send-email.ts";
import type { MailRecipients } from "../../tools/form/mail-recipients.ts";
import type { WebhookSecrets } from "../../tools/secrets/webhook-secrets.ts";
import { recipientProblem } from "../../tools/tool-warnings.ts";
import type { Attempt } from "./attempt-records.ts";
import { payloadBody, type SubmissionContent, webhookBody } from "./delivery-content.ts";
import { confirmationContent, emailContent, teamChatBody } from "./delivery-texts.ts";
import { failureNotice } from "./failure-notices.ts";
import { webhookHeaders } from "./webhook-signature.ts";

/** The receiver of a delivery, as of the submission or the last retry. */
export type DeliveryTarget = Partial<Omit<PostAction, "type">>;

/**
 * The outcome of an attempt. `error` is null on success. `retryAfterMs` is the minimum wait that the receiver asked
 * for.
 */
export type Answer = Pick<Attempt, "status" | "error" | "detail" | "response"> & {
  retryAfterMs: number;
  /** true when another attempt cannot succeed */
  isFinal?: boolean;
};

/** Bytes of a response that are read, and bytes that are stored. */
const READ_BYTES = 64 * 1024;
const STORED_BYTES = 16 * 1024;

const success: Answer = { status: null, error: null, detail: null, response: null, retryAfterMs: 0 };

type SenderDeps = Pick<Deps, "db" | "config" | "outbound" | "mailer" | "log">;

/**
 * Sends a delivery once, by the method of its type. Failures are returned as an `Answer`. It rejects only when `signal`
 * aborted it or the database is unavailable; nothing counts as attempted then.
 */
export function createDeliverySender(
  deps: SenderDeps,
  { webhookSecrets, mailRecipients }: { webhookSecrets: WebhookSecrets; mailRecipients: MailRecipients },
) {
  const { db, config, outbound, mailer, log } = deps;

  async function post(url: string, headers: Record<string, string>, body: Buffer | string, signal: AbortSignal) {
    const allHeaders = { "user-agent": "Foyer", ...headers, "content-type": "application/json" };
    const limits = { timeoutMs: config.webhooks.timeout, maxBytes: READ_BYTES, trust: "untrusted" } as const;
    return readAnswer(await outbound.request({ url, method: "POST", headers: allHeaders, body, signal, ...limits }));
  }

  async function webhook(
    { purpose, position }: DeliveryRow,
    target: DeliveryTarget,
    content: SubmissionContent,
    signal: AbortSignal,
  ) {
    const { id: submissionId, toolId, agentId } = content.submission;
    const body = await (target.payload ? payloadBody(target.payload, content) : webhookBody(content));
    // A webhook and an action can have the same receiver, which must not take one for a duplicate of the other.
    const id = purpose === "webhook" ? submissionId : `${submissionId}.${position}`;
    const signed = webhookHeaders(id, new Date(), body, await webhookSecrets.signing({ id: toolId, agentId }));
    return post(target.url || target.webhookUrl || "", { ...lowerCase(target.headers), ...signed }, body, signal);
  }

  /** The email address of the recipient, or the reason why there is none. */
  async function recipientOf(organizationId: string, purpose: DeliveryRow["purpose"], target: DeliveryTarget) {
    const [address] = target.to ?? [];
    if (address === undefined) {
      const to = await memberEmail(db, organizationId, target.recipientIds?.[0] ?? "");
      return to ? { to } : { problem: "The recipient is no longer a member of this organization." };
    }
    if (purpose === "confirmation") return { to: address };
    const problem = recipientProblem(address, (await mailRecipients.among(organizationId, [address]))[0]);
    return problem === null ? { to: address } : { problem };
  }

  async function email({ purpose }: DeliveryRow, target: DeliveryTarget, content: SubmissionContent): Promise<Answer> {
    if (!mailer.isConfigured) {
      const detail = "This server cannot send email because SMTP_URL is not set. Set it, then retry the delivery.";
      return { ...failed("Email is not configured", detail), isFinal: true };
    }
    const { submission } = content;
    const { to, problem } = await recipientOf(submission.organizationId, purpose, target);
    if (to === undefined) return failed("No recipient", problem);
    if (purpose === "notice") await mailer.send({ to, ...failureNotice(submission, config.baseUrl) });
    else if (purpose === "confirmation") await mailer.send({ to, ...confirmationContent(target, content) });
    else await mailer.send({ to, ...emailContent(target, content) });
    return success;
  }

  async function send(delivery: DeliveryRow, content: SubmissionContent, signal: AbortSignal): Promise<Answer> {
    const target: DeliveryTarget = JSON.parse(delivery.target);
    switch (delivery.type) {
      case "webhook":
        return webhook(delivery, target, content, signal);
      case "email":
        return email(delivery, target, content);
      case "team_chat":
      case "slack":
        return post(target.webhookUrl ?? "", {}, teamChatBody(target, content), signal);
    }
  }

  return (delivery: DeliveryRow, content: SubmissionContent, signal: AbortSignal): Promise<Answer> =>
    send(delivery, content, signal).catch((error: unknown) => explain(error, signal, log));
}

/** Lower-cases the names, so that our own headers replace the owner's instead of being sent in addition. */
function lowerCase(headers: DeliveryTarget["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
}

function readAnswer({ status, headers, body }: Awaited<ReturnType<Deps["outbound"]["request"]>>): Answer {
  const isSuccess = status >= 200 && status < 300;
  const outcome = isSuccess ? success : failed(`HTTP ${status}`, `The receiver responded with HTTP ${status}.`);
  // PostgreSQL cannot store NUL in text.
  const response = body.subarray(0, STORED_BYTES).toString("utf8").replaceAll("\0", "");
  return { ...outcome, status, response, retryAfterMs: parseRetryAfter(headers["retry-after"]) ?? 0 };
}

function failed(error: string, detail: string): Answer {
  return { ...success, error, detail };
}

function explain(error: unknown, signal: AbortSignal, log: Logger): Answer {
  if (signal.aborted || isUnavailable(error)) throw error;
  if (error instanceof OutboundError)
    return { ...failed(error.publicMessage, error.message), status: error.status ?? null };
  if (error instanceof AppError) return failed("Too large", error.message);
  if (error instanceof MailError) return failed("Rejected by the mail server", error.message);
  log.error({ err: error }, "could not build a delivery");
  return failed("Could not be sent", "The server could not build the request. See the server log for the reason.");
}
