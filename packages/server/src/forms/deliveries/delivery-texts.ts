import type { PostAction } from "@foyer/contract";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { formatTime } from "../../format-time.ts";
import type { MailContent } from "../../outbound/mail-content.ts";
import { removeLinks, toSingleLine, truncateText } from "../../outbox/message-text.ts";
import { formatTeamChatMessage } from "../../outbox/team-chat.ts";
import { createValueLookup, describeFiles, type SubmissionContent } from "./delivery-content.ts";

type ChatMessage = Pick<PostAction, "webhookUrl" | "format" | "messageTemplate" | "message">;

/**
 * Builds the body for the incoming webhook of a team chat. Values from the visitor are escaped, so that they cannot
 * create links, images or mentions.
 */
export function createTeamChatBody(action: ChatMessage, content: SubmissionContent): string {
  const template = action.messageTemplate || action.message || "";
  return formatTeamChatMessage(
    { webhookUrl: action.webhookUrl ?? "", format: action.format },
    template,
    createValueLookup(content.submission, describeFiles(content.files)),
  );
}

/**
 * Builds the email to a member or an external recipient, with one field per line.
 * @param timeZone the agent's
 */
export function createEmailContent(
  action: Pick<PostAction, "subject">,
  { submission, files }: SubmissionContent,
  timeZone: string,
): MailContent {
  const values = createValueLookup(submission, describeFiles(files));
  const names = Object.keys(JSON.parse(submission.formData));
  const fields = names.map((name) => [toSingleLine(name), values(name) ?? ""] as const);
  const facts = [
    ["Form", submission.toolName],
    ["Submitted", formatTime(submission.createdAt, timeZone)],
    ["Submission", submission.id],
  ] as const;
  return {
    subject: formatSubject(action.subject || "New submission of {{_toolName}}", values),
    parts: [
      { type: "facts", facts: fields },
      { type: "facts", facts },
    ],
  };
}

const MAX_CONFIRMED_CHARACTERS = 200;

/**
 * Builds the confirmation email to the visitor. Anyone can enter someone else's address, so each value is shortened to
 * one line and its links are removed. Otherwise, a form could be used to send arbitrary messages.
 */
export function createConfirmationContent(
  action: Pick<PostAction, "subject" | "message">,
  content: SubmissionContent,
): MailContent {
  const values = createValueLookup(content.submission, describeFiles(content.files));
  const getSafeValue = (name: string) => {
    const text = values(name);
    return text === undefined ? undefined : truncateText(removeLinks(toSingleLine(text)), MAX_CONFIRMED_CHARACTERS);
  };
  return {
    subject: formatSubject(action.subject ?? "", getSafeValue),
    parts: [fillTemplate(action.message ?? "", getSafeValue)],
  };
}

function formatSubject(template: string, values: (name: string) => string | undefined): string {
  return truncateText(toSingleLine(fillTemplate(template, values)), 250);
}
