import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { HistoryRow } from "../../conversations/log/queries.ts";
import { type Piece, parsePieces, type ToolPiece } from "../../conversations/message-pieces.ts";
import { ownCall } from "../../models/format-prompt.ts";
import type { NumberedPassage } from "../../tools/tool-outcome.ts";
import { quotePage } from "./message-page.ts";
import { type Note, type PromptState, parsePromptState, placeNotes } from "./prompt-notes.ts";

/** The maximum length of the history that is sent to the model. The newest messages are used. */
const HISTORY_CHARACTERS = 400_000;
/** The maximum that has to be read for this history, because a character has up to four bytes. */
export const historyLimits = { limit: 200, maxBytes: 4 * HISTORY_CHARACTERS };

type StepPiece = Exclude<Piece, { type: "passages" | "suggestions" | "notice" }>;
type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;
type UserParts = Extract<LanguageModelV4Message, { role: "user" }>["content"];
type ToolResults = Extract<LanguageModelV4Message, { role: "tool" }>;

/** Instructions in addition to the conversation. `reference` is the text of the agent's documents when they are few. */
type Instructions = {
  systemPrompt: string | null;
  reference?: string | null;
  /** the model that is asked; the ids of its own earlier calls are not replaced */
  modelId?: string;
  /** the attachments of a message */
  partsOf?: (messageId: string) => UserParts;
};

/**
 * Builds the prompt: the agent's instructions and the conversation, oldest first, starting with a user message. A note
 * is inserted into the user message that follows it, or into the last message, because not every model accepts two
 * consecutive messages of the same role. The last message is a user message, because most models refuse any other.
 *
 * The prompt begins with the same messages as the prompt of the previous turn, so that providers can read them from
 * their cache. `state` is stored with the reply for this purpose.
 */
export function toPrompt(
  { systemPrompt, reference = null, modelId, partsOf = () => [] }: Instructions,
  history: readonly HistoryRow[],
  notes: readonly Note[] = [],
): { prompt: LanguageModelV4Prompt; state: PromptState } {
  const newest = takeNewest(history);
  const firstUser = newest.findIndex((row) => row.role === "user");
  // Not every model accepts a conversation that starts with an assistant message, such as a bubble.
  const isOpening = firstUser > 0 && newest[0]?.position === 0;
  const told = isOpening ? newest : newest.slice(Math.max(firstUser, 0));
  const last = told.at(-1);
  const { textsOf, unplaced, placed } = placeNotes(told, notes);
  const isOwn = (row: HistoryRow) => row.model === modelId && row.fallbackFrom === null;
  const messages = joinMessages(
    withChangedPages(told).flatMap((row) =>
      toMessages(row, { notes: textsOf(row), parts: partsOf(row.id), isOwn: isOwn(row) }),
    ),
  );
  const closing = last?.role === "user" ? [] : [toClosing(unplaced)];
  const instructions = [systemPrompt, reference].flatMap((text): LanguageModelV4Message[] =>
    text?.trim() ? [{ role: "system", content: text }] : [],
  );
  return {
    prompt: [...instructions, ...(isOpening ? [beforeOpening] : []), ...messages, ...closing],
    state: { start: newest[0]?.position ?? 0, notes: placed },
  };
}

/** The passages that earlier searches have found. Their numbers are never used again in the conversation. */
export function listEarlierPassages(history: readonly HistoryRow[]): NumberedPassage[] {
  return history
    .filter(({ pieces }) => pieces !== null)
    .flatMap(parsePieces)
    .flatMap((piece) => (piece.type === "tool" ? (piece.result?.passages ?? []) : []));
}

/** Joins consecutive messages of the same role. A person and the visitor can each send several messages in a row. */
function joinMessages(messages: readonly LanguageModelV4Message[]): LanguageModelV4Message[] {
  const all: LanguageModelV4Message[] = [];
  for (const message of messages) {
    const last = all.at(-1);
    if (last?.role === "user" && message.role === "user") last.content.push(...message.content);
    else if (last?.role === "assistant" && message.role === "assistant") last.content.push(...message.content);
    else all.push(message);
  }
  return all;
}

const beforeOpening: LanguageModelV4Message = {
  role: "user",
  content: [{ type: "text", text: "[The visitor has opened the page and has not written anything yet.]" }],
};

/**
 * The end of a conversation in which the visitor did not write last. The notes that follow all messages are part of it.
 */
function toClosing(notes: readonly string[]): LanguageModelV4Message {
  const texts = notes.length > 0 ? notes : ["[The visitor has not answered yet.]"];
  return { role: "user", content: texts.map((text) => ({ type: "text", text })) };
}

/**
 * The newest messages that fit. They begin where those of the previous prompt began while they fit, and then with half
 * of them, so that the start seldom changes.
 */
function takeNewest(history: readonly HistoryRow[]): readonly HistoryRow[] {
  const first = history[0]?.position ?? 0;
  const start = history.map(parsePromptState).findLast((state) => state !== null)?.start ?? 0;
  const kept = history.filter(({ position }) => position >= start);
  const isWhole = first <= start && takeFitting(kept, HISTORY_CHARACTERS).length === kept.length;
  return isWhole ? kept : takeFitting(history.slice(-historyLimits.limit / 2), HISTORY_CHARACTERS / 2);
}

function takeFitting(history: readonly HistoryRow[], maxCharacters: number): readonly HistoryRow[] {
  let characters = 0;
  const lastDropped = history.findLastIndex((row, index) => {
    characters += row.content.length + (row.pieces?.length ?? 0) + (row.page?.length ?? 0);
    return characters > maxCharacters && index < history.length - 1;
  });
  return history.slice(lastDropped + 1);
}

/** Keeps a page only where it differs from that of the visitor's previous message. */
function withChangedPages(history: readonly HistoryRow[]): HistoryRow[] {
  let previous: string | null = null;
  return history.map((row) => {
    if (row.page === null || row.page === previous) return { ...row, page: null };
    previous = row.page;
    return row;
  });
}

function toMessages(
  row: HistoryRow,
  { notes, parts, isOwn }: { notes: readonly string[]; parts: UserParts; isOwn: boolean },
): LanguageModelV4Message[] {
  if (row.role === "user") {
    const page = row.page === null ? [] : [quotePage(row.page)];
    const before = [...notes, ...page].map((text) => ({ type: "text" as const, text }));
    return [{ role: "user", content: [...before, ...parts, { type: "text", text: row.content }] }];
  }
  if (row.authorName !== null) {
    const attached = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const text = [attributeText(row.authorName, row.content), ...attached].join("\n");
    return [{ role: "assistant", content: [{ type: "text", text }] }];
  }
  const messages: LanguageModelV4Message[] = [];
  let step: StepPiece[] = [];
  for (const piece of parsePieces(row)) {
    if (piece.type !== "text" && piece.type !== "tool") continue;
    const before = step.at(-1);
    // Text that follows tool calls belongs to the next step.
    if (before?.type === "tool" && (piece.type === "text" || piece.sent?.step !== before.sent?.step)) {
      messages.push(...toStepMessages(step, isOwn));
      step = [];
    }
    step.push(piece);
  }
  return [...messages, ...toStepMessages(step, isOwn)];
}

/** A member's message, marked with their name. The name cannot contain the bracket that ends the mark. */
function attributeText(name: string, content: string): string {
  return `[${name.replace(/[[\]\s]+/g, " ").trim()}, a member of the team]: ${content}`;
}

/** The model's output of one step and the tool results that it received. */
function toStepMessages(step: readonly StepPiece[], isOwn: boolean): LanguageModelV4Message[] {
  if (step.length === 0) return [];
  const calls = step.filter((piece) => piece.type === "tool");
  const content: Assistant["content"] = step.map((piece) =>
    piece.type === "text"
      ? { type: "text", text: piece.text }
      : {
          type: "tool-call",
          toolCallId: toSentId(piece),
          toolName: piece.name,
          input: piece.sent?.input ?? piece.input,
          ...(isOwn ? ownCall : {}),
        },
  );
  const assistant: Assistant = { role: "assistant", content };
  return calls.length === 0 ? [assistant] : [assistant, { role: "tool", content: calls.map(toResult) }];
}

const toSentId = ({ id, sent }: ToolPiece) => sent?.id ?? id;

function toResult(piece: ToolPiece): ToolResults["content"][number] {
  const { name, result, sent } = piece;
  const output = result
    ? ({ type: result.isError ? "error-text" : "text", value: result.forModel + (sent?.note ?? "") } as const)
    : ({ type: "error-text", value: "The call was interrupted." } as const);
  return { type: "tool-result", toolCallId: toSentId(piece), toolName: name, output };
}
