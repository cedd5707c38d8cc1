import type { PostAction } from "@foyer/contract";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { labels, type SubmissionContent, valuesOf } from "./delivery-content.ts";

type ChatMessage = Pick<PostAction, "webhookUrl" | "messageTemplate" | "message">;

/** The body that a chat's incoming webhook takes. What visitors typed is plain text in it: no link, image or mention. */
export function teamChatBody(action: ChatMessage, content: SubmissionContent): string {
  const template = action.messageTemplate || action.message || "";
  const values = valuesOf(content.submission, labels(content.files));
  const url = URL.parse(action.webhookUrl ?? "");
  if (isDiscord(url)) {
    // Discord has a field of its own, and takes 2,000 characters.
    const text = fillTemplate(template, (name) => escapeMarkdown(values(name)));
    return JSON.stringify({ content: cut(text, 2_000), allowed_mentions: { parse: [] } });
  }
  const escapeText = url?.hostname === "hooks.slack.com" ? escapeForSlack : escapeForChat;
  return JSON.stringify({ text: fillTemplate(template, (name) => escapeText(values(name))) });
}

/** The mail to members and mail recipients, with every field on a line of its own. */
export function emailContent(action: Pick<PostAction, "subject">, content: SubmissionContent) {
  const { submission, files } = content;
  const values = valuesOf(submission, labels(files));
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
 * The mail to the visitor. Anybody can enter somebody else's address, so values in it are short, on one line and without
 * links: a form must not be a way to send a message of one's own.
 */
export function confirmationContent(action: Pick<PostAction, "subject" | "message">, content: SubmissionContent) {
  const values = valuesOf(content.submission, labels(content.files));
  const safe = (name: string) => {
    const text = values(name);
    return text === undefined ? undefined : cut(oneLine(text).replace(links, "…"), MAX_CONFIRMED_CHARACTERS);
  };
  return { subject: subjectOf(action.subject ?? "", safe), text: fillTemplate(action.message ?? "", safe) };
}

/** What mail programs turn into links: an address with a scheme, or a host name. Addresses with an @ stay. */
const links = /\b[a-z][a-z\d+.-]{1,20}:\/\/\S*|(?<![@\w.-])(?:[\w-]+\.)+[a-z]{2,}\b(?!@)\S*/giu;

function subjectOf(template: string, values: (name: string) => string | undefined): string {
  return cut(oneLine(fillTemplate(template, values)), 250);
}

const oneLine = (text: string) => text.replace(/[\s\p{Cc}]+/gu, " ").trim();

/** Further lines are indented, so that a value cannot imitate the mail's own lines. */
const indented = (text: string) => text.replace(/\r\n|[\r\n\u2028\u2029]/g, "\n    ");

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escapeForSlack(text: string | undefined): string | undefined {
  return text?.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** For chats that render Markdown, such as Mattermost and Rocket.Chat. An address keeps its @: it mentions nobody. */
function escapeForChat(text: string | undefined): string | undefined {
  return escapeForSlack(escapeMarkdown(text))?.replace(/(?<![\w.+-])@/g, "@\u200b");
}

/** Letters, digits and `_` inside of words stay as they are, so that names and addresses can be copied. */
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
