import type { Output } from "@foyer/sdk";
import type { Turn } from "./split-reply.ts";

export type ConversationNote = Output<"listNotes">[number];
/** The items of the transcript in order: the turns, and the team's notes between them. */
export type TranscriptItem = Turn | ConversationNote;

export const isTurn = (item: TranscriptItem): item is Turn => "role" in item;

/** Inserts each note after the last turn that started before it. Both lists are ordered oldest first. */
export function withNotes(turns: readonly Turn[], notes: readonly ConversationNote[]): TranscriptItem[] {
  const items: TranscriptItem[] = [];
  let next = 0;
  for (const turn of turns) {
    for (let note = notes[next]; note && note.createdAt < turn.createdAt; note = notes[++next]) items.push(note);
    items.push(turn);
  }
  return [...items, ...notes.slice(next)];
}
