import type { LanguageModelV4Message, LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { HistoryRow } from "../../conversations/log/queries.ts";
import { type Piece, parsePieces, type ToolPiece } from "../../conversations/message-pieces.ts";
import { quotePage } from "./message-page.ts";

/** The maximum length of the history that is sent to the model. The newest messages are used. */
const HISTORY_CHARACTERS = 400_000;
/** The maximum that has to be read for this history, because a character has up to four bytes. */
export const historyLimits = { limit: 200, maxBytes: 4 * HISTORY_CHARACTERS };

type StepPiece = Exclude<Piece, { type: "passages" | "suggestions" }>;
type Assistant = Extract<LanguageModelV4Message, { role: "assistant" }>;
type ToolResults = Extract<LanguageModelV4Message, { role: "tool" }>;

/** An event outside the chat that the model should know about, such as a form submission. */
export type Note = { createdAt: number; text: string };

/** Instructions in addition to the conversation. `reference` is the text of the agent's documents when they are few. */
type Instructions = { systemPrompt: string | null; reference?: string | null };

/**
 * Builds the prompt: the agent's instructions and the conversation, oldest first, starting with a user message. A note
 * is inserted into the user message that follows it, or into the last message, because not every model accepts two
 * consecutive messages of the same role. The last message is a user message, because most models refuse any other.
 */
export function toPrompt(
  { systemPrompt, reference = null }: Instructions,
  history: readonly HistoryRow[],
  notes: readonly Note[] = [],
): LanguageModelV4Prompt {
  const newest = takeNewest(history);
  const firstUser = newest.findIndex((row) => row.role === "user");
  // Not every model accepts a conversation that starts with an assistant message, such as a bubble.
  const isOpening = firstUser > 0 && newest[0]?.position === 0;
  const told = isOpening ? newest : newest.slice(Math.max(firstUser, 0));
  const last = told.at(-1);
  const notesOf = Map.groupBy(notes, (note) => {
    const next = told.find((row) => row.role === "user" && row.createdAt >= note.createdAt);
    return (next ?? (last?.role === "user" ? last : undefined))?.id;
  });
  const messages = joinMessages(withChangedPages(told).flatMap((row) => toMessages(row, notesOf.get(row.id) ?? [])));
  const closing = last?.role === "user" ? [] : [toClosing(notesOf.get(undefined) ?? [])];
  const opened = [...(isOpening ? [beforeOpening] : []), ...messages, ...closing];
  const instructions = [systemPrompt, reference].filter((text) => text?.trim()).join("\n\n");
  return instructions === "" ? opened : [{ role: "system", content: instructions }, ...opened];
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
function toClosing(notes: readonly Note[]): LanguageModelV4Message {
  const texts = notes.length > 0 ? notes.map(({ text }) => text) : ["[The visitor has not answered yet.]"];
  return { role: "user", content: texts.map((text) => ({ type: "text", text })) };
}

function takeNewest(history: readonly HistoryRow[]) {
  let characters = 0;
  const lastDropped = history.findLastIndex((row, index) => {
    characters += row.content.length + (row.pieces?.length ?? 0) + (row.page?.length ?? 0);
    return characters > HISTORY_CHARACTERS && index < history.length - 1;
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

function toMessages(row: HistoryRow, notes: readonly Note[]): LanguageModelV4Message[] {
  if (row.role === "user") {
    const page = row.page === null ? [] : [quotePage(row.page)];
    const texts = [...notes.map(({ text }) => text), ...page, row.content];
    return [{ role: "user", content: texts.map((text) => ({ type: "text", text })) }];
  }
  if (row.authorName !== null) {
    return [{ role: "assistant", content: [{ type: "text", text: attributeText(row.authorName, row.content) }] }];
  }
  const messages: LanguageModelV4Message[] = [];
  let step: StepPiece[] = [];
  for (const piece of parsePieces(row)) {
    if (piece.type === "passages" || piece.type === "suggestions") continue;
    // Text that follows tool calls belongs to the next step.
    if (piece.type === "text" && step.at(-1)?.type === "tool") {
      messages.push(...toStepMessages(step));
      step = [];
    }
    step.push(piece);
  }
  return [...messages, ...toStepMessages(step)];
}

/** A member's message, marked with their name. The name cannot contain the bracket that ends the mark. */
function attributeText(name: string, content: string): string {
  return `[${name.replace(/[[\]\s]+/g, " ").trim()}, a member of the team]: ${content}`;
}

/** The model's output of one step and the tool results that it received. */
function toStepMessages(step: readonly StepPiece[]): LanguageModelV4Message[] {
  if (step.length === 0) return [];
  const calls = step.filter((piece) => piece.type === "tool");
  const content: Assistant["content"] = step.map((piece) =>
    piece.type === "text"
      ? { type: "text", text: piece.text }
      : { type: "tool-call", toolCallId: piece.id, toolName: piece.name, input: piece.input },
  );
  const assistant: Assistant = { role: "assistant", content };
  return calls.length === 0 ? [assistant] : [assistant, { role: "tool", content: calls.map(toResult) }];
}

function toResult({ id, name, result }: ToolPiece): ToolResults["content"][number] {
  if (result?.passages) {
    // The numbering of passages starts again in every reply, so the model must not cite numbers of an earlier one.
    const value = "The passages of this earlier search are no longer available. Search again if you need them.";
    return { type: "tool-result", toolCallId: id, toolName: name, output: { type: "text", value } };
  }
  const output = result
    ? ({ type: result.isError ? "error-text" : "text", value: result.forModel } as const)
    : ({ type: "error-text", value: "The call was interrupted." } as const);
  return { type: "tool-result", toolCallId: id, toolName: name, output };
}
