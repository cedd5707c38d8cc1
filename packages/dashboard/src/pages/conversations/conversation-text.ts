import { ratingText } from "../../components/rating-text.ts";
import { visitorName } from "./inbox-search.ts";
import { type ConversationDetail, describeEnd, describeFailure, splitReply } from "./split-reply.ts";

/** A conversation as plain text: who said what and when (UTC), with the tool calls. */
export function formatConversation(conversation: ConversationDetail, agentName: string): string {
  const { title, id, userId, userEmail, createdAt, messages, rating } = conversation;
  const visitor = visitorName(conversation);
  const known = [visitor, userEmail, userId].filter((text, index, all) => text && all.indexOf(text) === index);
  const head = [title, `Conversation ${id}`, `Visitor: ${known.join(", ")}`, `Started: ${createdAt}`];
  if (rating) head.push(`${ratingText(rating.score)}${rating.comment ? `: ${rating.comment}` : ""}`);
  const turns = messages.map((turn) => {
    const speaker =
      turn.author.person?.name ??
      (turn.role === "user" ? visitor : turn.isSupplied ? `${agentName} (sent by the visitor's client)` : agentName);
    const lines = [`[${turn.createdAt}] ${speaker}:`];
    for (const part of splitReply(turn)) lines.push(part.kind === "text" ? part.text : callText(part.call));
    const end = describeEnd(turn);
    const failure = describeFailure(turn);
    if (end) lines.push(`(${end}${failure ? `: ${failure}` : ""})`);
    if (turn.feedback) {
      const comment = turn.feedbackComment ? `: ${turn.feedbackComment}` : "";
      lines.push(`(Rated ${turn.feedback === "up" ? "good" : "bad"}${comment})`);
    }
    return lines.join("\n");
  });
  return `${[head.join("\n"), ...turns].join("\n\n")}\n`;
}

function callText({ name, input, result, isError }: ReturnType<typeof listCalls>[number]) {
  return `(${name} ${JSON.stringify(input)} ${isError ? "failed" : "gave"} ${JSON.stringify(result)})`;
}

const listCalls = (conversation: ConversationDetail) => conversation.messages.flatMap(({ toolCalls }) => toolCalls);
