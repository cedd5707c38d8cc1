import { expect, it } from "vitest";
import type { Turn } from "./split-reply.ts";
import { type ConversationNote, withNotes } from "./with-notes.ts";

it("notes are placed between the turns in the order in which everything was written", () => {
  const turn = (id: string, minute: number) => ({ id, role: "user", createdAt: at(minute) }) as Turn;
  const note = (id: string, minute: number) => ({ id, createdAt: at(minute) }) as ConversationNote;
  const at = (minute: number) => `2026-11-22T10:0${minute}:00.000Z`;
  const items = withNotes([turn("a", 1), turn("b", 3)], [note("x", 0), note("y", 1), note("z", 5)]);
  expect(items.map(({ id }) => id)).toEqual(["x", "a", "y", "b", "z"]);
  expect(withNotes([], [note("x", 0)])).toHaveLength(1);
});
