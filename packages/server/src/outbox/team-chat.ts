import { type ChatFormat, chatFormatNames } from "@foyer/contract/rules/chat-formats";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { truncateText } from "./message-text.ts";

/** How the incoming webhook of a team chat receives messages. */
type FormatRules = {
  /** Whether the chat has this address. Chats that companies run themselves have addresses of their own. */
  isAt(url: URL): boolean;
  /** the maximum number of characters, beyond which the chat refuses a message or cuts it off */
  maxText: number;
  /** the maximum size of the whole body, if the chat has one */
  maxBytes?: number;
  /** Escapes a visitor's text, so that it cannot create links, images or mentions. */
  escape(text: string): string;
  toBody(text: string): object;
};

const formats: Record<ChatFormat, FormatRules> = {
  slack: {
    isAt: ({ hostname }) => hostname === "hooks.slack.com" || hostname === "hooks.slack-gov.com",
    maxText: 40_000,
    escape: escapeEntities,
    toBody: (text) => ({ text }),
  },
  teams: {
    // A workflow of Microsoft Teams answers 202 to anything, but posts only cards. Its address has one of these hosts,
    // or the host of the company's own gateway.
    isAt: ({ hostname, pathname }) =>
      /(^|\.)(logic\.azure\.com|powerplatform\.com|powerautomate\.com)$/.test(hostname) ||
      /\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke$/.test(pathname),
    maxText: 28_000,
    // Teams refuses more than 28 KB, and each line takes 45 bytes besides its text.
    maxBytes: 28_000,
    escape: escapeMarkdown,
    toBody: createCard,
  },
  discord: {
    // Discord expects `content` instead of `text`.
    isAt: ({ hostname, pathname }) =>
      /^((ptb|canary)\.)?discord(app)?\.com$/.test(hostname) && pathname.startsWith("/api/webhooks/"),
    maxText: 2_000,
    escape: escapeMarkdown,
    toBody: (text) => ({ content: text, allowed_mentions: { parse: [] } }),
  },
  google_chat: {
    // Google Chat shows entities as they are. It reads `<url|text>` and `<users/all>`.
    isAt: ({ hostname }) => hostname === "chat.googleapis.com",
    maxText: 4_000,
    escape: (text) => text.replaceAll("<", "<\u200b"),
    toBody: (text) => ({ text }),
  },
  mattermost: {
    isAt: () => false,
    maxText: 16_383,
    escape: escapeForChat,
    toBody: (text) => ({ text }),
  },
  rocket_chat: {
    isAt: () => false,
    maxText: 5_000,
    escape: escapeForChat,
    toBody: (text) => ({ text }),
  },
  zulip: {
    isAt: ({ hostname, pathname }) =>
      hostname.endsWith(".zulipchat.com") || pathname.endsWith("/external/slack_incoming"),
    maxText: 10_000,
    escape: escapeForChat,
    toBody: (text) => ({ text }),
  },
};

/** Most chats accept this format, which is Slack's with the escapes of Markdown. */
const defaultFormat: ChatFormat = "mattermost";

/** The incoming webhook of a team chat. Without a `format`, the address decides. */
export type ChatAddress = { webhookUrl: string; format?: ChatFormat | null | undefined };

function findFormat({ webhookUrl, format }: ChatAddress): ChatFormat {
  if (format) return format;
  const url = URL.parse(webhookUrl);
  return (url && chatFormatNames.find((name) => formats[name].isAt(url))) || defaultFormat;
}

/**
 * Builds the body for the incoming webhook of a team chat from `template`, in which each `{{name}}` is replaced. The
 * values are escaped, so that a visitor's text cannot create links, images or mentions.
 */
export function formatTeamChatMessage(
  address: ChatAddress,
  template: string,
  getValue: (name: string) => string | undefined,
): string {
  const { escape: escapeText, maxText, maxBytes = Number.POSITIVE_INFINITY, toBody } = formats[findFormat(address)];
  const text = fillTemplate(template, (name) => {
    const value = getValue(name);
    return value === undefined ? undefined : escapeText(value);
  });
  const build = (length: number) => JSON.stringify(toBody(shortenEscaped(text, length)));
  let length = maxText;
  let body = build(length);
  // Each round removes at least the share of the characters by which the body is too large.
  for (let bytes = Buffer.byteLength(body); bytes > maxBytes && length > 1; bytes = Buffer.byteLength(body)) {
    length = Math.floor((Math.min(length, text.length) * maxBytes) / bytes) - 1;
    body = build(length);
  }
  return body;
}

/** Shortens a text without cutting an entity such as `&amp;` or a backslash from its character. */
function shortenEscaped(text: string, length: number): string {
  const shortened = truncateText(text, length);
  return shortened === text ? text : shortened.replace(/(?:&[a-z]{0,3}|\\)…$/, "…");
}

/** A message of Microsoft Teams with one block of text per line, because a block joins its lines. */
function createCard(text: string): object {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const content = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: lines.map((line) => ({ type: "TextBlock", text: line, wrap: true })),
  };
  return {
    type: "message",
    attachments: [{ contentType: "application/vnd.microsoft.card.adaptive", contentUrl: null, content }],
  };
}

/** See https://docs.slack.dev/messaging/formatting-message-text#escaping. */
function escapeEntities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** The @ of an email address is not escaped, because it does not mention a user. */
function escapeForChat(text: string): string {
  return escapeEntities(escapeMarkdown(text)).replace(/(?<![\w.+-])@/g, "@\u200b");
}

/** Escapes Markdown, but not letters, digits and `_` within words, so that names and email addresses can be copied. */
function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*[\]]|(?<!\w)_|_(?!\w)|^\s*[#>]/gm, (found) => found.replace(/\S/, "\\$&"));
}
