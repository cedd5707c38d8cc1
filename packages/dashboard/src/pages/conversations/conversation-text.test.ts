import fc from "fast-check";
import { expect, it } from "vitest";
import { formatConversation } from "./conversation-text.ts";
import { describeFilters, type ListedConversation, toListQuery } from "./inbox-search.ts";
import { linkParts } from "./link-parts.ts";
import { type ConversationDetail, splitReply, type Turn } from "./split-reply.ts";

const at = "2026-03-02T10:00:00.000Z";
const call = {
  id: "c1",
  name: "bike_stock",
  label: null,
  toolId: null,
  executionType: "http",
  input: { seats: 2 },
  result: { stock: 3 },
  isError: false,
  display: null,
  form: null,
  textBefore: 9,
};
const turn = (part: Partial<Turn>): Turn => ({
  id: "msg_1",
  role: "assistant",
  author: { kind: "agent", person: null },
  content: "",
  createdAt: at,
  attachments: [],
  notices: [],
  toolCalls: [],
  sources: [],
  suggestions: [],
  feedback: null,
  stopReason: "end_turn",
  ...part,
});
const row: ListedConversation = {
  id: "conv_1",
  agentId: "agent_1",
  title: 'Say "hi", ok',
  messageCount: 2,
  status: "open",
  snoozedUntil: null,
  resolvedAt: null,
  userId: null,
  userEmail: null,
  userName: "=1+1",
  userVerified: false,
  identity: "claimed",
  isTest: false,
  handler: "agent",
  epoch: 0,
  assignee: null,
  handoff: null,
  createdAt: at,
  updatedAt: at,
  hasForm: true,
  feedback: null,
  context: null,
  lastMessage: null,
  cost: 0,
  unknownCostReplies: 0,
  isUnread: false,
  hasFailedReply: false,
  tags: [],
};

it("splitReply lists a reply's texts and tool calls in order", () => {
  expect(splitReply(turn({ content: "One look.\n\nThree left.", toolCalls: [call] }))).toEqual([
    { kind: "text", text: "One look." },
    { kind: "call", call },
    { kind: "text", text: "Three left." },
  ]);
  expect(splitReply(turn({ content: "", toolCalls: [{ ...call, textBefore: 0 }] }))).toEqual([
    { kind: "call", call: { ...call, textBefore: 0 } },
  ]);
});

it("a conversation as text says who said what, what was done, and how it ended", () => {
  const messages = [
    turn({ role: "user", content: "Any bikes?", stopReason: null }),
    turn({ content: "One look.", toolCalls: [call], feedback: "down", stopReason: "aborted" }),
  ];
  const text = formatConversation(
    { ...row, userName: "Ada", consent: null, messages } as ConversationDetail,
    "Harbour",
  );
  expect(text).toBe(
    'Say "hi", ok\nConversation conv_1\nVisitor: Ada\nStarted: 2026-03-02T10:00:00.000Z\n\n' +
      "[2026-03-02T10:00:00.000Z] Ada:\nAny bikes?\n\n" +
      '[2026-03-02T10:00:00.000Z] Harbour:\nOne look.\n(bike_stock {"seats":2} gave {"stock":3})\n' +
      "(Stopped before it finished)\n(Rated bad)\n",
  );
});

it("a conversation as text says how the visitor rated it", () => {
  const rated = (comment: string | null) =>
    formatConversation(
      { ...row, consent: null, messages: [], rating: { score: 2, comment, ratedAt: at } } as ConversationDetail,
      "Harbour",
    );
  expect(rated("Too slow")).toContain("\nRated 2 of 5: Too slow\n");
  expect(rated(null)).toContain("\nRated 2 of 5\n");
});

it("the inbox filters by ratings, and ignores other texts", () => {
  expect(toListQuery("agent_1", { rating: "1,2" })).toEqual({ agentId: "agent_1", rating: "1,2" });
  expect(toListQuery("agent_1", { rating: "6" })).toEqual({ agentId: "agent_1" });
  const texts = ["any", "none", "3", "5,4", "2,1,2,3"].map((rating) => describeFilters({ rating })[0]?.text);
  expect(texts).toEqual(["Rated", "Not rated", "Rated 3 of 5", "Rated 4 or 5 of 5", "Rated 1, 2, or 3 of 5"]);
});

it("linkParts turns only web URLs into links", () => {
  expect(linkParts("See https://harbour.example/bikes?a=1. (or http://x.example)").filter(({ href }) => href)).toEqual([
    { text: "https://harbour.example/bikes?a=1", href: "https://harbour.example/bikes?a=1" },
    { text: "http://x.example", href: "http://x.example" },
  ]);
  for (const text of ["javascript:alert(1)", "data:text/html,hi", "https://", "ftp://a.example", "<a href=x>"]) {
    expect(linkParts(text)).toEqual([{ text }]);
  }
  const piece = fc.oneof(
    fc.string(),
    fc.constantFrom("https://", "http://a.example/", " javascript:", "\n", "<b>", ").,"),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const parts = linkParts(pieces.join(""));
      expect(parts.map(({ text }) => text).join("")).toBe(pieces.join(""));
      for (const { href } of parts) if (href) expect(new URL(href).protocol).toMatch(/^https?:$/);
    }),
  );
});

it("the inbox filters by days in the user's time zone", () => {
  // The time zone of the tests is UTC+5:30.
  expect(toListQuery("agent_1", { from: "2026-03-01", to: "2026-03-02", q: " cargo ", hasForm: "false" })).toEqual({
    agentId: "agent_1",
    q: "cargo",
    hasForm: false,
    from: "2026-02-28T18:30:00.000Z",
    to: "2026-03-02T18:30:00.000Z",
  });
  const wrong = { from: "2026-02-30", to: "soon", feedback: "meh", hasForm: "maybe", userId: " " };
  expect(toListQuery("agent_1", wrong)).toEqual({ agentId: "agent_1" });
  expect(describeFilters(wrong)).toEqual([]);
  expect(describeFilters({ feedback: "down", userId: "42" }).map(({ text }) => text)).toEqual([
    "Rated bad",
    "Visitor 42",
  ]);
});
