import type { AgentTestCheck, AgentTestContent } from "@foyer/contract";
import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { parsePieces, type ToolPiece } from "../../conversations/message-pieces.ts";
import type { MessageRow } from "../../db/tables.ts";
import { detectLanguage } from "../../documents/search/detect-language.ts";
import { invalid } from "../../errors.ts";
import { toProse } from "../checks.ts";

/** The longest argument of a recorded call that becomes part of a check. A model words longer ones freely. */
const MAX_ARGUMENT = 40;

type KeptMessage = Pick<
  MessageRow,
  "id" | "role" | "content" | "pieces" | "feedback" | "authorName" | "stopReason" | "createdAt"
>;
/** While a member had the conversation: until `endedAt`, or until now. */
export type Takeover = { takenAt: number; endedAt: number | null };

/**
 * The turns of a conversation, with the answers of its tools and checks for what the agent did. What a visitor rated as
 * bad is not to be repeated, so such a conversation is checked for its language alone. What a visitor said to a member is
 * left out, because the agent did not have to answer it.
 * @param messageId the reply that comes last; null for the whole conversation
 * @throws 400 when there is nothing to keep, or too much
 */
export function keepMessages(
  messages: readonly KeptMessage[],
  messageId: string | null,
  takeovers: readonly Takeover[],
): Omit<AgentTestContent, "name"> {
  const end = messageId === null ? messages.length - 1 : messages.findIndex(({ id }) => id === messageId);
  if (messageId !== null && messages[end]?.role !== "assistant") {
    throw invalid("messageId", "must be the id of a reply in this conversation", "unknown_reference");
  }
  const kept = messages.slice(0, end + 1);
  const turns = kept
    .filter(({ role, content }) => role === "user" && content.trim() !== "")
    .filter(({ createdAt }) => !takeovers.some((one) => isDuring(one, createdAt)))
    .map(({ content }) => content.slice(0, agentTestLimits.turnCharacters).toWellFormed());
  if (turns.length === 0) throw invalid("conversationId", "has no message of the visitor to the agent");
  if (turns.length > agentTestLimits.turns) {
    const problem = `has ${turns.length} messages of the visitor, and a test at most ${agentTestLimits.turns}; name the reply with which it ends in messageId`;
    throw invalid("conversationId", problem, "max_items");
  }
  const replies = kept.filter(({ role, authorName }) => role === "assistant" && authorName === null);
  if (!replies.some(isCompleted)) {
    throw invalid("conversationId", "has no completed reply of the agent, with which another reply could be compared");
  }
  const calls = replies.flatMap((reply) => parsePieces(reply).flatMap((piece) => (isCall(piece) ? [piece] : [])));
  const isRatedBad = replies.some(({ feedback }) => feedback === "down");
  return {
    turns,
    checks: [...(isRatedBad ? [] : toCallChecks(calls)), ...toLanguageChecks(replies)].slice(0, agentTestLimits.checks),
    results: toResults(calls),
  };
}

function isDuring({ takenAt, endedAt }: Takeover, at: number): boolean {
  return at >= takenAt && (endedAt === null || at < endedAt);
}

/** Whether a model wrote the reply to its end, or to where the visitor stopped it. */
function isCompleted({ content, pieces, stopReason }: KeptMessage): boolean {
  return stopReason !== null && stopReason !== "error" && (content.trim() !== "" || pieces !== null);
}

function isCall(piece: { type: string }): piece is ToolPiece {
  return piece.type === "tool" && "executionType" in piece && piece.executionType !== "documents";
}

const isRequest = ({ executionType }: ToolPiece) => executionType === "handoff";

function toCallChecks(calls: readonly ToolPiece[]): AgentTestCheck[] {
  const byTool = new Map(
    calls.filter((call) => !isRequest(call) && !call.result?.isError).map((call) => [call.name, call]),
  );
  return [
    ...[...byTool.values()].map(({ name, input }): AgentTestCheck => {
      const fixed = Object.entries(input ?? {}).filter(([, value]) => isFixed(value));
      return { kind: "tool_called", tool: name, ...(fixed.length > 0 ? { arguments: Object.fromEntries(fixed) } : {}) };
    }),
    ...(calls.some(isRequest) ? [{ kind: "asks_for_person" as const }] : []),
  ];
}

function isFixed(value: unknown): boolean {
  return (typeof value === "string" && value.length <= MAX_ARGUMENT) || ["number", "boolean"].includes(typeof value);
}

function toLanguageChecks(replies: readonly KeptMessage[]): AgentTestCheck[] {
  const language = detectLanguage(toProse(replies.map(({ content }) => content).join("\n")));
  return language === null ? [] : [{ kind: "language", language }];
}

/** The first answer of each tool, as far as they fit. */
function toResults(calls: readonly ToolPiece[]): Record<string, unknown> {
  const results: Record<string, unknown> = {};
  for (const call of calls) {
    if (isRequest(call) || !call.result || call.result.isError || Object.hasOwn(results, call.name)) continue;
    const more = { ...results, [call.name]: readAnswer(call.result.forModel) };
    if (Buffer.byteLength(JSON.stringify(more)) > agentTestLimits.resultsBytes) continue;
    Object.assign(results, more);
  }
  return results;
}

function readAnswer(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
