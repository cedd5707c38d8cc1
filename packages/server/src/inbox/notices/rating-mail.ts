import { ratingTexts } from "../../conversations/rating-texts.ts";
import type { MailContent } from "../../outbound/mail-content.ts";
import { toSingleLine, truncateText } from "../../outbox/message-text.ts";

type RatingFacts = {
  conversationId: string;
  agentName: string;
  sender: NonNullable<MailContent["sender"]>;
  /** the agent's own question; null if it has none */
  question: string | null;
  /** the context of the conversation, as JSON */
  context: string | null;
};

/** The email that asks a visitor who left an address to rate the conversation. Each number leads to the page. */
export function ratingMail(
  { conversationId, agentName, sender, question, context }: RatingFacts,
  { baseUrl, token }: { baseUrl: string; token: string },
): MailContent {
  const { language: preferred = null }: { language?: string | null } = context ? JSON.parse(context) : {};
  const { language, texts } = ratingTexts(preferred);
  const name = truncateText(toSingleLine(agentName), 80);
  const fill = (text: string) => text.replaceAll("{site}", () => name);
  const url = `${baseUrl}/rate/${conversationId}?${new URLSearchParams({ token })}`;
  const choices = [1, 2, 3, 4, 5].map((score) => ({
    text: String(score),
    label: `${score}, ${texts[`score${score}` as "score1"]}`,
    url: `${url}&score=${score}`,
  }));
  return {
    subject: truncateText(toSingleLine(fill(texts.question)), 250),
    language,
    sender,
    parts: [
      ...(question ? [toSingleLine(question)] : []),
      fill(texts.opening),
      { type: "choices", label: texts.send, url, choices },
      texts.ends,
      { type: "footer", text: texts.footer },
    ],
  };
}
