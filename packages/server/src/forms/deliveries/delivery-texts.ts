import type { PostAction } from "@foyer/contract";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { indentContinuationLines, removeLinks, toSingleLine, truncateText } from "../../outbox/message-text.ts";
import { formatTeamChatMessage } from "../../outbox/team-chat.ts";
import { createValueLookup, describeFiles, type SubmissionContent } from "./delivery-content.ts";

type ChatMessage = Pick<PostAction, "webhookUrl" | "messageTemplate" | "message">;

/**
 * Builds the body for the incoming webhook of a team chat. Values from the visitor are escaped, so that they cannot
 * create links, images or mentions.
 */
export function createTeamChatBody(action: ChatMessage, content: SubmissionContent): string {
  const template = action.messageTemplate || action.message || "";
  return formatTeamChatMessage(
    action.webhookUrl ?? "",
    template,
    createValueLookup(content.submission, describeFiles(content.files)),
  );
}

/** Builds the email to a member or an external recipient, with one field per line. */
export function createEmailContent(action: Pick<PostAction, "subject">, content: SubmissionContent) {
  const { submission, files } = content;
  const values = createValueLookup(submission, describeFiles(files));
  const fields = Object.keys(JSON.parse(submission.formData)).map(
    (name) => `${toSingleLine(name)}: ${indentContinuationLines(values(name) ?? "")}`,
  );
  const when = new Date(submission.createdAt).toISOString();
  const facts = [`Form: ${submission.toolName}`, `Submitted: ${when}`, `Submission: ${submission.id}`];
  return {
    subject: formatSubject(action.subject || "New submission of {{_toolName}}", values),
    text: [...fields, "", ...facts].join("\n"),
  };
}

const MAX_CONFIRMED_CHARACTERS = 200;

/**
 * Builds the confirmation email to the visitor. Anyone can enter someone else's address, so each value is shortened to
 * one line and its links are removed. Otherwise, a form could be used to send arbitrary messages.
 */
export function createConfirmationContent(action: Pick<PostAction, "subject" | "message">, content: SubmissionContent) {
  const values = createValueLookup(content.submission, describeFiles(content.files));
  const getSafeValue = (name: string) => {
    const text = values(name);
    return text === undefined ? undefined : truncateText(removeLinks(toSingleLine(text)), MAX_CONFIRMED_CHARACTERS);
  };
  return {
    subject: formatSubject(action.subject ?? "", getSafeValue),
    text: fillTemplate(action.message ?? "", getSafeValue),
  };
}

function formatSubject(template: string, values: (name: string) => string | undefined): string {
  return truncateText(toSingleLine(fillTemplate(template, values)), 250);
}
