import type { PostAction } from "@foyer/contract";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { fileLabels, type SubmissionContent, valuesOf } from "./delivery-content.ts";

type ChatMessage = Pick<PostAction, "webhookUrl" | "messageTemplate" | "message">;

/**
 * The body for the incoming webhook of a team chat. Visitors' answers are escaped, so that they cannot create links,
 * images or mentions.
 */
export function teamChatBody(action: ChatMessage, content: SubmissionContent): string {
  const template = action.messageTemplate || action.message || "";
  const values = valuesOf(content.submission, fileLabels(content.files));
  const url = URL.parse(action.webhookUrl ?? "");
  if (isDiscord(url)) {
    // Discord expects `content` instead of `text` and accepts at most 2,000 characters.
    const text = fillTemplate(template, (name) => escapeMarkdown(values(name)));
    return JSON.stringify({ content: cut(text, 2_000), allowed_mentions: { parse: [] } });
  }
  const escapeText = url?.hostname === "hooks.slack.com" ? escapeForSlack : escapeForChat;
  return JSON.stringify({ text: fillTemplate(template, (name) => escapeText(values(name))) });
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
    return text === undefined ? undefined : cut(oneLine(text).replace(links, "…"), MAX_CONFIRMED_CHARACTERS);
  };
  return { subject: subjectOf(action.subject ?? "", safe), text: fillTemplate(action.message ?? "", safe) };
}

/** What email programs turn into links: URLs with a scheme, and host names. Email addresses are kept. */
const links = /\b[a-z][a-z\d+.-]{1,20}:\/\/\S*|(?<![@\w.-])(?:[\w-]+\.)+[a-z]{2,}\b(?!@)\S*/giu;

function subjectOf(template: string, values: (name: string) => string | undefined): string {
  return cut(oneLine(fillTemplate(template, values)), 250);
}

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/** Continuation lines are indented, so that a value cannot imitate other lines of the email. */
const indented = (text: string) => text.replace(/\r\n|[\r\n\u2028\u2029]/g, "\n    ");

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeForSlack(text: string | undefined): string | undefined {
  return text?.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * For chats that render Markdown, such as Mattermost and Rocket.Chat. An email address keeps its @, because it mentions
 * no user.
 */
function escapeForChat(text: string | undefined): string | undefined {
  return escapeForSlack(escapeMarkdown(text))?.replace(/(?<![\w.+-])@/g, "@\u200b");
}

/** Leaves letters, digits and `_` within words alone, so that names and email addresses can be copied. */
function escapeMarkdown(text: string | undefined): string | undefined {
  return text?.replace(/[\\`*[\]]|(?<!\w)_|_(?!\w)|^\s*[#>]/gm, (found) => found.replace(/\S/, "\\$&"));
}

function isDiscord(url: URL | null): boolean {
  const { hostname, pathname } = url ?? { hostname: "", pathname: "" };
  return /^((ptb|canary)\.)?discord(app)?\.com$/.test(hostname) && pathname.startsWith("/api/webhooks/");
}

function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
