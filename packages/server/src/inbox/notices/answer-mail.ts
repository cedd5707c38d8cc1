import type { MailContent, MailPart } from "../../outbound/mail-content.ts";
import { removeLinks, toSingleLine, truncateText } from "../../outbox/message-text.ts";
import { stripMarkdown } from "../../strip-markdown.ts";
import { type AnswerTexts, answerTexts } from "./answer-texts.ts";

export type MailedMessage = {
  id: string;
  position: number;
  role: "user" | "assistant";
  content: string;
  /** the member who wrote it; null for the visitor and the agent */
  authorName: string | null;
};

export type AnswerFacts = {
  agentId: string;
  agentName: string;
  sender: NonNullable<MailContent["sender"]>;
  conversationId: string;
  /** the context of the conversation, as JSON */
  context: string | null;
  /** the origins of the agent, as JSON */
  allowedOrigins: string;
  /** oldest first; the members' messages from position `from` on are the answer */
  messages: ReadonlyArray<Omit<MailedMessage, "id">>;
  from: number;
  /** the names of the pictures and files of the answer that are too large for the email; the link leads to them */
  leftOut?: readonly string[];
};

const MAX_QUOTED = 20;
const MAX_QUOTED_CHARACTERS = 500;

/**
 * The email to a visitor who left an address and is no longer on the page. It quotes the conversation. Anyone can enter
 * someone else's address, so what the visitor and the agent wrote is quoted without its links.
 */
export function answerMail(facts: AnswerFacts, { baseUrl, token }: { baseUrl: string; token: string }): MailContent {
  const { agentName, messages, from, leftOut = [] } = facts;
  const context: { language?: string | null } = facts.context ? JSON.parse(facts.context) : {};
  const { language, texts } = answerTexts(context.language ?? null);
  const answers = messages.filter(({ position, authorName }) => position >= from && authorName !== null);
  const name = truncateText(toSingleLine(answers.at(-1)?.authorName ?? ""), 80) || toSingleLine(agentName);
  const fill = (text: string) =>
    text.replace(/\{(name|site)\}/g, (_, value: string) => (value === "name" ? name : toSingleLine(agentName)));
  const quoted = messages.filter(({ position }) => position < from).slice(-MAX_QUOTED);
  const parts: MailPart[] = [
    fill(texts.opening),
    ...answers.flatMap(({ content }) =>
      content.trim() === "" ? [] : [{ type: "answer" as const, markdown: content }],
    ),
    ...(leftOut.length > 0 ? [leftOut.map(toSingleLine).join("\n")] : []),
    { type: "link", label: texts.link, url: createConversationLink(facts, baseUrl, token) },
  ];
  if (quoted.length > 0) {
    const quotes = quoted.map((message) => quote(message, agentName, texts));
    parts.push({ type: "quotes", title: texts.quote, quotes });
  }
  parts.push({ type: "footer", text: texts.footer });
  return { subject: truncateText(toSingleLine(fill(texts.subject)), 250), parts, language, sender: facts.sender };
}

function quote({ role, content, authorName }: Omit<MailedMessage, "id">, agentName: string, texts: AnswerTexts) {
  const who = role === "user" ? texts.you : (authorName ?? agentName);
  // Formatting is taken from a beginning that is long enough for the quote.
  const beginning = content.trim().slice(0, 4 * MAX_QUOTED_CHARACTERS);
  const plain = role === "assistant" ? stripMarkdown(beginning) : beginning;
  return { author: toSingleLine(who), text: truncateText(removeLinks(plain), MAX_QUOTED_CHARACTERS) };
}

/**
 * The URL at which the conversation opens: the page on which it began, if the agent is allowed there, or a plain
 * page for conversations on this server. The widget reads the fragment, which browsers never send to a server.
 */
export function createConversationLink(
  { agentId, conversationId, context, allowedOrigins }: Omit<AnswerFacts, "messages" | "from" | "agentName" | "sender">,
  baseUrl: string,
  token: string,
): string {
  const { page = null }: { page?: string | null } = context ? JSON.parse(context) : {};
  const url = page === null ? null : URL.parse(page);
  const origins: string[] = [...JSON.parse(allowedOrigins), new URL(baseUrl).origin];
  const isAllowed = url !== null && /^https?:$/.test(url.protocol) && origins.includes(url.origin);
  const target = isAllowed ? url.origin + url.pathname + url.search : `${baseUrl}/conversation/${agentId}`;
  return `${target}#foyer-conversation=${conversationId}.${token}`;
}
