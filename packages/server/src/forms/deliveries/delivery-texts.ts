import type { FormField, PostAction } from "@foyer/contract";
import { createAnswerText } from "@foyer/contract/rules/answer-text";
import { labelText } from "@foyer/contract/rules/field-label";
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

/** What an email about a submission contains besides its answers. */
export type EmailFacts = {
  /** the fields of the form as it is now; a field that was removed is called by its name */
  fields: readonly FormField[];
  /** the agent's */
  timeZone: string;
  /** the address of the submission in the dashboard; null for recipients who are not members */
  url: string | null;
};

const formatAnswer = createAnswerText({ locale: "en-GB", dateStyle: "long", yes: "Yes", no: "No" });

/** Builds the email to a member or an external recipient, with a line for each answer in the order of the form. */
export function createEmailContent(
  action: Pick<PostAction, "subject">,
  { submission, files }: SubmissionContent,
  { fields, timeZone, url }: EmailFacts,
): MailContent {
  const described = describeFiles(files);
  const values = createValueLookup(submission, described);
  const data: Record<string, unknown> = { ...JSON.parse(submission.formData), ...described };
  const changed: string[] = JSON.parse(submission.changedByVisitor ?? "[]");
  const names = new Set([...fields.map(({ name }) => name), ...Object.keys(data)]);
  const answers = [...names].flatMap((name) => {
    const field = fields.find((one) => one.name === name);
    const text = Object.hasOwn(described, name) ? described[name] : formatAnswer(field ?? {}, data[name]);
    const mark = changed.includes(name) ? " (could be changed by the visitor)" : "";
    return text?.trim() ? [[toSingleLine(field ? labelText(field) : name), `${text}${mark}`] as const] : [];
  });
  const facts = [
    ["Form", submission.toolName],
    ["Submitted", formatTime(submission.createdAt, timeZone)],
    ["Submission", submission.id],
  ] as const;
  return {
    subject: formatSubject(action.subject || "New submission of {{_toolName}}", values),
    parts: [
      { type: "facts", facts: answers },
      ...(url === null ? [] : [{ type: "link", label: "Open the submission:", url } as const]),
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
  sender: MailContent["sender"],
): MailContent {
  const values = createValueLookup(content.submission, describeFiles(content.files));
  const getSafeValue = (name: string) => {
    const text = values(name);
    return text === undefined ? undefined : truncateText(removeLinks(toSingleLine(text)), MAX_CONFIRMED_CHARACTERS);
  };
  return {
    subject: formatSubject(action.subject ?? "", getSafeValue),
    parts: [fillTemplate(action.message ?? "", getSafeValue)],
    ...(sender ? { sender } : {}),
  };
}

function formatSubject(template: string, values: (name: string) => string | undefined): string {
  return truncateText(toSingleLine(fillTemplate(template, values)), 250);
}
