import { callThenSay, type Exchange, sayWords } from "../upstream.ts";

/** The message that makes the agent show its form. */
export const FORM_REQUEST = "Show me the form";

/** The form that the agent shows when a message asks for it. */
export const form = [{ name: "visitor", label: "Your name", type: "text" as const, required: true }];

const longReply = Array.from({ length: 60 }, (_, index) => `Line ${index + 1}\n\n`);

/** Answers as the agent's model: with the form when a message asks for it, otherwise with a reply that scrolls. */
export function answerVisitor(exchange: Exchange): void {
  const { messages } = JSON.parse(exchange.body) as { messages: Array<{ role: string; content: unknown }> };
  const last = messages.findLast(({ role }) => role === "user");
  const answer = JSON.stringify(last).includes(FORM_REQUEST)
    ? callThenSay("test_ride", {}, "Thank you.")
    : sayWords(...longReply);
  answer(exchange);
}
