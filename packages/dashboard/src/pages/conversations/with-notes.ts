import type { Output } from "@foyer/sdk";
import type { HandoffLine } from "./handoff-lines.ts";
import type { Turn } from "./split-reply.ts";

export type ConversationNote = Output<"listNotes">[number];
/**
 * The items of the transcript in order: the turns, and between them the team's notes and the changes of the handler.
 */
export type TranscriptItem = Turn | ConversationNote | HandoffLine;

export const isTurn = (item: TranscriptItem): item is Turn => "role" in item;
export const isHandoffLine = (item: TranscriptItem): item is HandoffLine => "kind" in item;

/** Inserts each note and line after the last turn that started before it. All lists are ordered oldest first. */
export function withNotes(
  turns: readonly Turn[],
  notes: readonly ConversationNote[],
  lines: readonly HandoffLine[],
): TranscriptItem[] {
  const between = [...notes, ...lines].sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  const items: TranscriptItem[] = [];
  let next = 0;
  for (const turn of turns) {
    for (let item = between[next]; item && item.createdAt < turn.createdAt; item = between[++next]) items.push(item);
    items.push(turn);
  }
  return [...items, ...between.slice(next)];
}
