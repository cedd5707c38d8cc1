import type { PostAction } from "@foyer/contract";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { cut, indented, oneLine, withoutLinks } from "../../outbox/message-text.ts";
import { teamChatMessage } from "../../outbox/team-chat.ts";
import { fileLabels, type SubmissionContent, valuesOf } from "./delivery-content.ts";

type ChatMessage = Pick<PostAction, "webhookUrl" | "messageTemplate" | "message">;

/**
 * The body for the incoming webhook of a team chat. Visitors' answers are escaped, so that they cannot create links,
 * images or mentions.
 */
export function teamChatBody(action: ChatMessage, content: SubmissionContent): string {
  const template = action.messageTemplate || action.message || "";
  return teamChatMessage(action.webhookUrl ?? "", template, valuesOf(content.submission, fileLabels(content.files)));
}

/** The email to members and external recipients, with one field per line. */
export function emailContent(action: Pick<PostAction, "subject">, content: SubmissionContent) {
  const { submission, files } = content;
  const values = valuesOf(submission, fileLabels(files));
  const fields = Object.keys(JSON.parse(submission.formData)).map(
    (name) => `${oneLine(name)}: ${indented(values(name) ?? "")}`,
  );
  const when = new Date(submission.createdAt).toISOString();
  const facts = [`Form: ${submission.toolName}`, `Submitted: ${when}`, `Submission: ${submission.id}`];
  return {
    subject: subjectOf(action.subject || "New submission of {{_toolName}}", values),
    text: [...fields, "", ...facts].join("\n"),
  };
}

const MAX_CONFIRMED_CHARACTERS = 200;

/**
 * The confirmation email to the visitor. Anyone can enter someone else's address, so values are shortened to one line
 * and stripped of links: a form must not become a way to send arbitrary messages.
 */
export function confirmationContent(action: Pick<PostAction, "subject" | "message">, content: SubmissionContent) {
  const values = valuesOf(content.submission, fileLabels(content.files));
  const safe = (name: string) => {
    const text = values(name);
    return text === undefined ? undefined : cut(withoutLinks(oneLine(text)), MAX_CONFIRMED_CHARACTERS);
  };
  return { subject: subjectOf(action.subject ?? "", safe), text: fillTemplate(action.message ?? "", safe) };
}

function subjectOf(template: string, values: (name: string) => string | undefined): string {
  return cut(oneLine(fillTemplate(template, values)), 250);
}
