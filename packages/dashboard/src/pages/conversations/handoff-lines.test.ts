import type { HandoffRecord } from "@foyer/contract";
import { expect, it } from "vitest";
import { findAnswerAddress, toEmailLines, toHandoffLines, toRatingLines } from "./handoff-lines.ts";

const ada = { userId: "user_1", name: "Ada", initials: "A" };
const record = (changes: Partial<HandoffRecord>): HandoffRecord => ({
  cause: "visitor",
  reason: null,
  email: null,
  requestedAt: "2026-03-01T10:00:00.000Z",
  takenAt: null,
  takenBy: null,
  endedAt: null,
  endedHow: null,
  endedBy: null,
  note: null,
  ...changes,
});
const texts = (changes: Partial<HandoffRecord>) => toHandoffLines([record(changes)], "Harbour").map(({ text }) => text);

it("the transcript says who took a conversation over and who returned it, even without a note", () => {
  const taken = { takenAt: "2026-03-01T10:01:00.000Z", takenBy: ada };
  const returned = { endedAt: "2026-03-01T10:05:00.000Z", endedHow: "returned" as const, endedBy: ada };
  expect(texts({ ...taken, ...returned })).toEqual([
    "The visitor asked for a person",
    "Ada took over",
    "Ada returned the conversation to Harbour",
  ]);
  expect(texts({ cause: "member", ...taken, ...returned, endedHow: "closed", endedBy: null })).toEqual([
    "Ada took over",
    "A member closed the conversation",
  ]);
});

it("the transcript shows the note of a return, and that a visitor stopped waiting", () => {
  const ended = { endedAt: "2026-03-01T10:05:00.000Z" };
  const [, line] = toHandoffLines([record({ ...ended, endedHow: "returned", note: "No refund" })], "Harbour");
  expect(line).toMatchObject({ createdAt: ended.endedAt, note: "No refund" });
  expect(texts({ cause: "agent", ...ended, endedHow: "cancelled" })).toEqual([
    "The agent asked for a person",
    "The visitor stopped waiting",
  ]);
});

it("the transcript says to which address an answer was emailed, and whether it arrived", () => {
  const at = "2026-03-01T10:00:00.000Z";
  const lines = (["pending", "delivered", "failed"] as const).map((state) => ({ to: "ada@example.com", at, state }));
  expect(toEmailLines(lines).map(({ text }) => text)).toEqual([
    "Emailing the answer to ada@example.com",
    "Emailed the answer to ada@example.com",
    "Could not email the answer to ada@example.com",
  ]);
});

it("answers go to the newest address that the visitor left, also during an earlier request", () => {
  const handoffs = [record({ email: "old@example.com" }), record({ email: "new@example.com" }), record({})];
  expect(findAnswerAddress({ handoff: null, handoffs })).toBe("new@example.com");
  expect(findAnswerAddress({ handoff: null, handoffs: [record({})] })).toBe(null);
});

it("tells when the visitor rated the conversation, with the comment", () => {
  const ratedAt = "2026-03-02T10:30:00.000Z";
  expect(toRatingLines({ score: 4, comment: "Quick", ratedAt })).toMatchObject([
    { createdAt: ratedAt, text: "Rated 4 of 5 by the visitor", comment: "Quick", note: null },
  ]);
  expect(toRatingLines(null)).toEqual([]);
});
