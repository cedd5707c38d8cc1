import { expect, it } from "vitest";
import type { TranscriptLine } from "./handoff-lines.ts";
import type { Turn } from "./split-reply.ts";
import { type ConversationNote, withNotes } from "./with-notes.ts";

it("the transcript shows notes and handoffs between the turns, in the order in which everything was written", () => {
  const turn = (id: string, minute: number) => ({ id, role: "user", createdAt: at(minute) }) as Turn;
  const note = (id: string, minute: number) => ({ id, createdAt: at(minute) }) as ConversationNote;
  const at = (minute: number) => `2026-11-22T10:0${minute}:00.000Z`;
  const line = (id: string, minute: number) => ({ kind: "line", id, createdAt: at(minute) }) as TranscriptLine;
  const notes = [note("x", 0), note("y", 1), note("z", 5)];
  const items = withNotes([turn("a", 1), turn("b", 3)], notes, [line("taken", 2), line("ended", 4)]);
  expect(items.map(({ id }) => id)).toEqual(["x", "a", "y", "taken", "b", "ended", "z"]);
  expect(withNotes([], [note("x", 0)], [])).toHaveLength(1);
});
