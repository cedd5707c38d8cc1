import type { Source } from "@foyer/sdk";
import { expect, it } from "vitest";
import { createReply, mayCite, type ToolPart } from "./conversation-state.ts";

const source: Source = { n: 1, title: "Hours", url: null, page: null, snippet: "From 11 to 15." };
const tool: ToolPart = {
  type: "tool",
  id: "call_1",
  name: "search_documents",
  label: null,
  kind: "documents",
  state: "running",
  input: {},
  result: null,
  display: null,
  form: null,
};

it("numbers in brackets are citations during a search of documents and in replies with sources", () => {
  const reply = { ...createReply("r"), parts: [{ type: "text" as const, text: "From 11 to 15 [1]." }] };
  expect(mayCite(reply)).toBe(false);
  expect(mayCite({ ...reply, sources: [source] })).toBe(true);
  expect(mayCite({ ...reply, parts: [tool, ...reply.parts] })).toBe(true);
  expect(mayCite({ ...reply, parts: [{ ...tool, kind: "http" }] })).toBe(false);
});
