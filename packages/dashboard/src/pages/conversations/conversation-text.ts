import { type ListedConversation, visitorName } from "./inbox-search.ts";
import { type ConversationDetail, endInWords, failureInWords, splitReply } from "./split-reply.ts";

/** A conversation to read without anything else: who said what and when (UTC), and what was done between. */
export function conversationText(conversation: ConversationDetail, agentName: string): string {
  const { title, id, userId, userEmail, createdAt, messages } = conversation;
  const visitor = visitorName(conversation);
  const known = [visitor, userEmail, userId].filter((text, index, all) => text && all.indexOf(text) === index);
  const head = [title, `Conversation ${id}`, `Visitor: ${known.join(", ")}`, `Started: ${createdAt}`];
  const turns = messages.map((turn) => {
    const lines = [`[${turn.createdAt}] ${turn.role === "user" ? visitor : agentName}:`];
    for (const part of splitReply(turn)) lines.push(part.kind === "text" ? part.text : callText(part.call));
    const end = endInWords(turn);
    const failure = failureInWords(turn);
    if (end) lines.push(`(${end}${failure ? `: ${failure}` : ""})`);
    if (turn.feedback) {
      const comment = turn.feedbackComment ? `: ${turn.feedbackComment}` : "";
      lines.push(`(Rated ${turn.feedback === "up" ? "good" : "bad"}${comment})`);
    }
    return lines.join("\n");
  });
  return `${[head.join("\n"), ...turns].join("\n\n")}\n`;
}

function callText({ name, input, result, isError }: ReturnType<typeof callsOf>[number]) {
  return `(${name} ${JSON.stringify(input)} ${isError ? "failed" : "gave"} ${JSON.stringify(result)})`;
}

const callsOf = (conversation: ConversationDetail) => conversation.messages.flatMap(({ toolCalls }) => toolCalls);

const columns = [
  ...(["id", "title", "userName", "userEmail", "userId", "messageCount", "hasForm", "feedback"] as const),
  ...(["createdAt", "updatedAt"] as const),
];

export const csvHead = `\ufeff${columns.join(",")}\r\n`;

/** A line of CSV as RFC 4180 has it. What a spreadsheet would take for a formula is marked as text. */
export function csvLine(row: ListedConversation): string {
  return `${columns.map((name) => cell(row[name])).join(",")}\r\n`;
}

function cell(value: string | number | boolean | null | undefined) {
  const text = String(value ?? "");
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
