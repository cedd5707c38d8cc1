import { fillTemplate } from "@foyer/contract/rules/fill-template";
import { truncateText } from "./message-text.ts";

/**
 * Builds the body for the incoming webhook of a team chat from `template`, in which each `{{name}}` is replaced. The
 * values are escaped, so that a visitor's text cannot create links, images or mentions.
 */
export function formatTeamChatMessage(
  webhookUrl: string,
  template: string,
  getValue: (name: string) => string | undefined,
): string {
  const url = URL.parse(webhookUrl);
  if (isDiscord(url)) {
    // Discord expects `content` instead of `text` and accepts at most 2,000 characters.
    const text = fillTemplate(template, (name) => escapeMarkdown(getValue(name)));
    return JSON.stringify({ content: truncateText(text, 2_000), allowed_mentions: { parse: [] } });
  }
  const escapeText = url?.hostname === "hooks.slack.com" ? escapeForSlack : escapeForChat;
  return JSON.stringify({ text: fillTemplate(template, (name) => escapeText(getValue(name))) });
}

/** See https://docs.slack.dev/messaging/formatting-message-text#escaping. */
function escapeForSlack(text: string | undefined): string | undefined {
  return text?.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/**
 * Escapes text for chats that render Markdown, such as Mattermost and Rocket.Chat. The @ of an email address is not
 * escaped, because it does not mention a user.
 */
function escapeForChat(text: string | undefined): string | undefined {
  return escapeForSlack(escapeMarkdown(text))?.replace(/(?<![\w.+-])@/g, "@\u200b");
}

/** Escapes Markdown, but not letters, digits and `_` within words, so that names and email addresses can be copied. */
function escapeMarkdown(text: string | undefined): string | undefined {
  return text?.replace(/[\\`*[\]]|(?<!\w)_|_(?!\w)|^\s*[#>]/gm, (found) => found.replace(/\S/, "\\$&"));
}

function isDiscord(url: URL | null): boolean {
  const { hostname, pathname } = url ?? { hostname: "", pathname: "" };
  return /^((ptb|canary)\.)?discord(app)?\.com$/.test(hostname) && pathname.startsWith("/api/webhooks/");
}
