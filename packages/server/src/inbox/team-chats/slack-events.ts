import type { IncomingContent, IncomingMessage } from "./team-chat.ts";

/** The parts of a `message` event that are used: https://docs.slack.dev/reference/events/message */
export type SlackEvent = {
  type: string;
  subtype?: string;
  channel?: string;
  user?: string;
  bot_id?: string;
  text?: string;
  ts?: string;
  thread_ts?: string;
  /** who wrote the first message of the thread */
  parent_user_id?: string;
  event_ts?: string;
  files?: SlackFile[];
  message?: { user?: string; bot_id?: string; ts?: string; thread_ts?: string; text?: string };
  previous_message?: { text?: string };
};

/** https://docs.slack.dev/reference/objects/file-object */
export type SlackFile = { name?: string; url_private_download?: string };

type Bot = {
  channelId: string;
  botUserId: string;
  download(file: SlackFile, signal: AbortSignal): Promise<Buffer>;
};

/**
 * Reads a message of the configured channel.
 * @returns null for other channels, bots, and notices such as "X joined the channel"
 */
export function readEvent(event: SlackEvent, { channelId, botUserId, download }: Bot): IncomingMessage | null {
  if (event.type !== "message" || event.channel !== channelId) return null;
  if (event.subtype === "message_changed") return readEdit(event, botUserId);
  const { ts, user, thread_ts: thread = null } = event;
  if (!ts || !user || user === botUserId || event.bot_id) return null;
  const content = readContent(event, download);
  if (!content) return null;
  return {
    id: ts,
    thread: thread === ts ? null : thread,
    replyTo: null,
    isReplyToBot: event.parent_user_id === botUserId,
    sender: { id: user, name: user },
    content,
  };
}

function readContent(
  { subtype, text = "", files = [] }: SlackEvent,
  download: Bot["download"],
): IncomingContent | null {
  if (files.length > 0) {
    const read = files.map((file) => ({
      name: file.name ?? "",
      read: (signal: AbortSignal) => download(file, signal),
    }));
    return { kind: "text", text: toPlainText(text).trim(), files: read };
  }
  if (subtype !== undefined && subtype !== "thread_broadcast" && subtype !== "me_message") return null;
  const plain = toPlainText(text).trim();
  if (plain === "") return unsupported("This message has no text, so it is not sent to the visitor.");
  // Messages that begin with a slash never arrive, because Slack treats them as its own commands.
  const command = /^!([a-z]{1,20})(?:\s+([\s\S]*))?$/i.exec(plain);
  if (!command) return { kind: "text", text: plain };
  const [, name = "", argument = ""] = command;
  return { kind: "command", name: name.toLowerCase(), argument: argument.trim() };
}

/** Slack also reports a change when it adds a link preview, which leaves the text unchanged. */
function readEdit({ message, previous_message: previous, event_ts: at }: SlackEvent, botUserId: string) {
  const { user, ts, thread_ts: thread = null } = message ?? {};
  if (!user || !ts || user === botUserId || message?.bot_id || message?.text === previous?.text) return null;
  return {
    id: `edit:${at ?? ts}`,
    thread,
    replyTo: ts,
    isReplyToBot: false,
    sender: { id: user, name: user },
    content: unsupported("The visitor does not see changes to a message that was sent. Write a new message instead."),
  };
}

function unsupported(reason: string): IncomingContent {
  return { kind: "unsupported", reason };
}

/** https://docs.slack.dev/messaging/formatting-message-text: only these three characters have to be escaped. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The text of a message as its author sees it. */
function toPlainText(text: string): string {
  return text
    .replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, label?: string) => readLink(target, label))
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

function readLink(target: string, label: string | undefined): string {
  const first = target[0] ?? "";
  if ("@#!".includes(first)) return label ? `${first === "#" ? "#" : ""}${label}` : target;
  const address = target.replace(/^mailto:/, "");
  return !label || address.includes(label) ? address : `${label} (${address})`;
}
