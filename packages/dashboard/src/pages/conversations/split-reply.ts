import { type Output, toParts } from "@foyer/sdk";

export type ConversationDetail = Output<"getConversation">;
export type Turn = ConversationDetail["messages"][number];
export type Call = Turn["toolCalls"][number];

export type ReplyPart = { kind: "text"; text: string } | { kind: "call"; call: Call };

/** The texts and tool calls of a message in order. Blank texts are left out. */
export function splitReply({ content, toolCalls }: Pick<Turn, "content" | "toolCalls">): ReplyPart[] {
  return toParts({ content, toolCalls }).flatMap((part): ReplyPart[] => {
    if (part.type === "tool") {
      const call = toolCalls.find(({ id }) => id === part.id);
      return call ? [{ kind: "call", call }] : [];
    }
    const text = part.text.replace(/^\n+/, "").trimEnd();
    return text ? [{ kind: "text", text }] : [];
  });
}

/** How a reply ended, or null if it ended normally. */
export function describeEnd({ role, stopReason }: Pick<Turn, "role" | "stopReason">): string | null {
  if (role === "user" || stopReason === "end_turn") return null;
  if (stopReason === "handed_over") return "Stopped when a person took over";
  if (stopReason === "aborted") return "Stopped before it finished";
  if (stopReason === "error") return "Reply failed";
  if (stopReason === "max_steps") return "Reached the limit of tool calls";
  if (stopReason === "max_tokens") return "Cut off by the model's limit of tokens";
  if (stopReason === "content_filter") return "Cut off by the provider's content filter";
  return "Replying";
}

/** The provider's own reason, for members: `openai answered 401: Incorrect API key provided`. */
export function describeFailure({ failure }: Pick<Turn, "failure">): string | null {
  if (!failure) return null;
  const { provider, providerStatus, message } = failure;
  if (provider === null) return message;
  return providerStatus === null ? `${provider}: ${message}` : `${provider} answered ${providerStatus}: ${message}`;
}

export const isRunning = ({ role, stopReason }: Pick<Turn, "role" | "stopReason">) =>
  role === "assistant" && stopReason === null;
