import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { truncateText } from "./message-text.ts";

/** How the incoming webhook of a team chat receives messages. */
type Platform = {
  isAt(url: URL): boolean;
  /** Escapes a visitor's text, so that it cannot create links, images or mentions. */
  escape(text: string): string;
  toBody(text: string): object;
};

const platforms: readonly Platform[] = [
  {
    // Discord expects `content` instead of `text` and accepts at most 2,000 characters.
    isAt: ({ hostname, pathname }) =>
      /^((ptb|canary)\.)?discord(app)?\.com$/.test(hostname) && pathname.startsWith("/api/webhooks/"),
    escape: escapeMarkdown,
    toBody: (text) => ({ content: truncateText(text, 2_000), allowed_mentions: { parse: [] } }),
  },
  {
    // A workflow of Microsoft Teams answers 202 to anything, but posts only cards. Its address has one of these hosts,
    // or the host of the company's own gateway.
    isAt: ({ hostname, pathname }) =>
      /(^|\.)(logic\.azure\.com|powerplatform\.com|powerautomate\.com)$/.test(hostname) ||
      /\/workflows\/[^/]+\/triggers\/[^/]+\/paths\/invoke$/.test(pathname),
    escape: escapeMarkdown,
    toBody: createCard,
  },
  {
    isAt: ({ hostname }) => hostname === "hooks.slack.com" || hostname === "hooks.slack-gov.com",
    escape: escapeEntities,
    toBody: (text) => ({ text }),
  },
  {
    // Google Chat shows entities as they are. It reads `<url|text>` and `<users/all>`.
    isAt: ({ hostname }) => hostname === "chat.googleapis.com",
    escape: (text) => text.replaceAll("<", "<\u200b"),
    toBody: (text) => ({ text: truncateText(text, 4_000) }),
  },
];

/** Chats that accept Slack's format and render Markdown, such as Mattermost, Rocket.Chat and Zulip. */
const otherPlatform: Omit<Platform, "isAt"> = { escape: escapeForChat, toBody: (text) => ({ text }) };

/**
 * Builds the body for the incoming webhook of a team chat from `template`, in which each `{{name}}` is replaced. The
 * address decides the format. The values are escaped, so that a visitor's text cannot create links, images or mentions.
 */
export function formatTeamChatMessage(
  webhookUrl: string,
  template: string,
  getValue: (name: string) => string | undefined,
): string {
  const url = URL.parse(webhookUrl);
  const { escape: escapeText, toBody } = platforms.find(({ isAt }) => url && isAt(url)) ?? otherPlatform;
  const text = fillTemplate(template, (name) => {
    const value = getValue(name);
    return value === undefined ? undefined : escapeText(value);
  });
  return JSON.stringify(toBody(text));
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
