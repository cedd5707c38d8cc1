import type { Output } from "@foyer/sdk";
import type { TranscriptLine } from "./handoff-lines.ts";
import type { Turn } from "./split-reply.ts";

export type ConversationNote = Output<"listNotes">[number];
/**
 * The items of the transcript in order: the turns, and between them the team's notes and the lines about what happened.
 */
export type TranscriptItem = Turn | ConversationNote | TranscriptLine;

export const isTurn = (item: TranscriptItem): item is Turn => "role" in item;
export const isLine = (item: TranscriptItem): item is TranscriptLine => "kind" in item;

/** Inserts each note and line after the last turn that started before it. All lists are ordered oldest first. */
export function withNotes(
  turns: readonly Turn[],
  notes: readonly ConversationNote[],
  lines: readonly TranscriptLine[],
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
