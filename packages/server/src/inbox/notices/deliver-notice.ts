import { readTimeZone } from "../../agents/handoff.ts";
import { toMailSender } from "../../agents/mail-sender.ts";
import { createLinkToken } from "../../auth/conversation-token.ts";
import { findMemberEmail } from "../../auth/members/members.ts";
import type { AttachmentService } from "../../conversations/attachments/service.ts";
import { createBatchWriter } from "../../db/batch-writer.ts";
import type { Deps } from "../../deps.ts";
import type { MailContent } from "../../outbound/mail-content.ts";
import type { MailFile } from "../../outbound/send-email.ts";
import type { AttemptResult, CompletedAttempt } from "../../outbox/attempts.ts";
import type { LeasedDelivery } from "../../outbox/delivery-queue.ts";
import type { DeliveryHandler, Outbox } from "../../outbox/outbox.ts";
import { createFinalFailure, createPost, delivered, explainFailure } from "../../outbox/send-response.ts";
import type { ChatAddress } from "../../outbox/team-chat.ts";
import { parseTargets } from "../teams/record-targets.ts";
import { answerMail, type MailedMessage } from "./answer-mail.ts";
import { budgetMail } from "./budget-mail.ts";
import type { NoticeTarget } from "./notice-target.ts";
import {
  createAssigneeMail,
  createAssigneePush,
  digestChat,
  digestMail,
  digestPush,
  mentionMail,
  mentionPush,
  requestChat,
  requestMail,
  requestPush,
  targetChat,
  targetMail,
  targetPush,
} from "./notice-texts.ts";
import { isGone, type SendPush } from "./send-push.ts";
import { createRatingSender } from "./send-rating.ts";
import type { NoticeStore, NoticeSubject } from "./store.ts";

type HandlerDeps = Pick<Deps, "db" | "config" | "outbound" | "mailer" | "encryption" | "log" | "prices">;
type Target<Kind extends NoticeTarget["notice"]> = Extract<NoticeTarget, { notice: Kind }>;
type Parts = {
  store: NoticeStore;
  sendPush: SendPush;
  outbox: Pick<Outbox, "attempts">;
  attachments: Pick<AttachmentService, "listOf" | "readFile">;
};

/** The size of the files of one email. Mail servers often refuse more than 10 MB, and Base64 adds a third. */
const MAX_MAILED_BYTES = 7 * 1024 * 1024;

/** Sends notices to members, team chats and visitors. */
export function createNoticeHandler(
  deps: HandlerDeps,
  { store, sendPush, outbox, attachments }: Parts,
): DeliveryHandler {
  const { db, config, mailer, encryption, log, prices } = deps;
  const post = createPost(deps);
  const sendRating = createRatingSender(deps, store);

  /** Notifies a member or a channel of a request. Nothing is sent once a member has taken the conversation. */
  async function sendRequest(
    target: Target<"request">,
    subject: NoticeSubject,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const { handoff, agent } = subject;
    const { organizationId } = handoff;
    if (handoff.takenAt !== null || handoff.endedAt !== null) {
      return createFinalFailure("Not needed", "The visitor was no longer waiting when the notice was due.");
    }
    const facts = {
      ...toFacts(subject),
      step: target.step,
      timeZone: readTimeZone(agent),
    };
    if ("channelId" in target) {
      return sendToChannel(organizationId, target.channelId, {
        bodyFor: (address) => requestChat(facts, config.baseUrl, address),
        signal,
      });
    }
    const notice = { mail: requestMail(facts, config.baseUrl), push: requestPush(facts) };
    return sendToMember({ ...target, organizationId }, notice, signal);
  }

  /** Notifies a member or a channel that several visitors are waiting. */
  async function sendDigest(
    target: Target<"digest">,
    { handoff: { organizationId, agentId }, agent }: NoticeSubject,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const facts = { agentId, agentName: agent.name, count: target.count };
    if ("channelId" in target)
      return sendToChannel(organizationId, target.channelId, { bodyFor: digestChat(facts, config.baseUrl), signal });
    const notice = { mail: digestMail(facts, config.baseUrl), push: digestPush(facts) };
    return sendToMember({ ...target, organizationId }, notice, signal);
  }

  /** Notifies a member or a channel that a target will soon be missed. Nothing is sent once it was met. */
  async function sendTarget(
    target: Target<"target">,
    subject: NoticeSubject,
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    const { handoff, agent } = subject;
    const open = parseTargets(handoff)[target.target];
    if (open === undefined || handoff.endedAt !== null) {
      return createFinalFailure("Not needed", "The target was met when the notice was due.");
    }
    const facts = { ...toFacts(subject), target: target.target, dueAt: open.dueAt, timeZone: readTimeZone(agent) };
    const { organizationId } = handoff;
    if ("channelId" in target) {
      const bodyFor = (address: ChatAddress) => targetChat(facts, config.baseUrl, address);
      return sendToChannel(organizationId, target.channelId, { bodyFor, signal });
    }
    const notice = { mail: targetMail(facts, config.baseUrl), push: targetPush(facts) };
    return sendToMember({ ...target, organizationId }, notice, signal);
  }

  async function sendToChannel(
    organizationId: string,
    channelId: string,
    { bodyFor, signal }: { bodyFor: (address: ChatAddress) => string; signal: AbortSignal },
  ): Promise<AttemptResult> {
    const channel = await store.channel(organizationId, channelId);
    if (!channel?.url || channel.isEnabled === 0)
      return createFinalFailure("No recipient", "The channel was removed or disabled.");
    const body = bodyFor({ webhookUrl: channel.url, format: channel.format });
    return post({ url: channel.url, organizationId, headers: {}, body, signal });
  }

  /** Notifies the member who has the conversation. */
  async function sendToAssignee(target: Target<"assigned" | "message">, subject: NoticeSubject, signal: AbortSignal) {
    const { handoff, conversation } = subject;
    if (conversation.assigneeId !== target.userId || handoff.endedAt !== null) {
      return createFinalFailure("Not needed", "The member no longer had the conversation when the notice was due.");
    }
    const facts = toFacts(subject);
    const notice = {
      mail: createAssigneeMail(target.notice, facts, config.baseUrl),
      push: createAssigneePush(target.notice, facts),
    };
    return sendToMember({ ...target, organizationId: handoff.organizationId }, notice, signal);
  }

  async function sendMention(target: Target<"mention">, organizationId: string, signal: AbortSignal) {
    const facts = await store.mention(organizationId, target.noteId);
    if (!facts) return createFinalFailure("Not needed", "The note was deleted.");
    const notice = { mail: mentionMail(facts, config.baseUrl), push: mentionPush(facts) };
    return sendToMember({ ...target, organizationId }, notice, signal);
  }

  /** Tells an owner or admin how much of a budget is used. */
  async function sendBudget(target: Target<"budget">, organizationId: string): Promise<AttemptResult> {
    const agentName = await store.agentName(organizationId, target.agentId);
    if (agentName === undefined) return createFinalFailure("Not needed", "The agent was deleted.");
    const { currency } = await prices.ofOrganization(organizationId);
    return sendMail({ ...target, organizationId }, budgetMail({ ...target, agentName, currency }, config.baseUrl));
  }

  async function sendMail(
    { organizationId, userId }: { organizationId: string; userId: string },
    mail: MailContent,
  ): Promise<AttemptResult> {
    const to = await findMemberEmail(db, organizationId, userId);
    if (to === undefined) return memberHasLeft;
    await mailer.send({ to, organizationId, ...mail });
    return delivered;
  }

  async function sendToMember(
    { organizationId, userId, pushId }: { organizationId: string; userId: string; pushId?: string },
    { mail, push }: { mail: MailContent; push: ReturnType<typeof requestPush> },
    signal: AbortSignal,
  ): Promise<AttemptResult> {
    if (pushId === undefined) return sendMail({ organizationId, userId }, mail);
    if ((await findMemberEmail(db, organizationId, userId)) === undefined) return memberHasLeft;
    const device = await store.device({ organizationId, userId }, pushId);
    if (!device) return createFinalFailure("No recipient", "The browser is no longer notified.");
    return sendPush(device, push, signal);
  }

  /** Sends the answer to a visitor who left an address. */
  async function sendAnswer({ from, to }: Target<"answer">, subject: NoticeSubject) {
    const { handoff, conversation } = subject;
    if (handoff.email === null) return createFinalFailure("No recipient", "The visitor has left no address.");
    const { organizationId, conversationId } = handoff;
    const messages = await store.messagesUntil(conversationId, to);
    const { files, leftOut } = await loadFiles(attachments, conversationId, { messages, from });
    const token = createLinkToken(encryption, conversation);
    const mail = answerMail({ ...toAnswerFacts(subject), messages, from, leftOut }, { baseUrl: config.baseUrl, token });
    await mailer.send({ to: handoff.email, organizationId, ...mail, files });
    return delivered;
  }

  return {
    async open(delivery, signal) {
      const target: NoticeTarget = JSON.parse(delivery.target);
      const { organizationId } = delivery;
      const explain = (error: unknown) => explainFailure(error, signal, log);
      if (target.notice === "budget") return { send: () => sendBudget(target, organizationId).catch(explain) };
      if (target.notice === "mention")
        return { send: () => sendMention(target, organizationId, signal).catch(explain) };
      const subject = await store.subject(delivery.conversationId ?? "", target.handoffId);
      // The conversation was deleted together with its deliveries.
      if (!subject) return null;
      const sendNotice = () => {
        if (target.notice === "answer") return sendAnswer(target, subject);
        if (target.notice === "rating") return sendRating(subject);
        if (target.notice === "request") return sendRequest(target, subject, signal);
        if (target.notice === "target") return sendTarget(target, subject, signal);
        if (target.notice === "digest") return sendDigest(target, subject, signal);
        return sendToAssignee(target, subject, signal);
      };
      return { send: () => sendNotice().catch(explain) };
    },
    record: createBatchWriter(db, createNoticeRecords(store, outbox), { maxItems: 100 }),
  };
}

/** The pictures and files of the answer, as far as they fit into an email, and the names of the others. */
async function loadFiles(
  attachments: Parts["attachments"],
  conversationId: string,
  { messages, from }: { messages: readonly MailedMessage[]; from: number },
) {
  const answers = messages.filter(({ position, authorName }) => position >= from && authorName !== null);
  const ids = new Set(answers.map(({ id }) => id));
  const files: MailFile[] = [];
  const leftOut: string[] = [];
  let bytes = 0;
  for (const { messageId, fileId, name, type, size } of await attachments.listOf(conversationId)) {
    if (messageId === null || !ids.has(messageId)) continue;
    if (bytes + size > MAX_MAILED_BYTES) leftOut.push(name);
    else {
      bytes += size;
      files.push({ name, type, content: Buffer.concat(await Array.fromAsync(attachments.readFile(fileId))) });
    }
  }
  return { files, leftOut };
}

const toAnswerFacts = ({ handoff: { agentId, conversationId }, agent, conversation }: NoticeSubject) => ({
  agentId,
  conversationId,
  agentName: agent.name,
  sender: toMailSender(agent),
  context: conversation.context,
  allowedOrigins: agent.allowedOrigins,
});

function toFacts({ handoff, conversation, agent }: NoticeSubject) {
  return {
    ...handoff,
    agentName: agent.name,
    title: conversation.title,
    visitorName: conversation.userName,
    visitorEmail: conversation.userEmail,
  };
}

/** Records attempts, the state of a channel for the dashboard, and browsers that have unsubscribed. */
function createNoticeRecords(store: NoticeStore, outbox: Pick<Outbox, "attempts">) {
  return async (
    trx: Parameters<Outbox["attempts"]["settle"]>[0],
    batch: readonly CompletedAttempt[],
  ): Promise<LeasedDelivery[][]> => {
    const numbers = await outbox.attempts.settle(trx, batch);
    const now = Date.now();
    for (const { delivery, attempt } of batch) {
      const target: NoticeTarget = JSON.parse(delivery.target);
      const hasNoDevice = target.notice === "answer" || target.notice === "rating" || target.notice === "budget";
      if (!numbers.has(delivery.id) || hasNoDevice) continue;
      if ("channelId" in target) await store.recordChannelOutcome(trx, target.channelId, { error: attempt.error, now });
      else if (target.pushId !== undefined && isGone(attempt.status)) await store.forgetDevice(trx, target.pushId);
    }
    return batch.map(() => []);
  };
}

const memberHasLeft = createFinalFailure("No recipient", "The member has left the organization.");
