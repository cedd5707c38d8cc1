import { expect, it } from "vitest";
import type { NumberedPassage } from "../tools/tool-outcome.ts";
import type { Piece } from "./message-pieces.ts";
import { listCitedSources } from "./sources.ts";

const passage = (n: number, changes: Partial<NumberedPassage> = {}): NumberedPassage => ({
  n,
  title: `Document ${n}`,
  url: `https://shop.example/${n}`,
  page: null,
  snippet: "We open at 9.",
  citation: "link",
  ...changes,
});

const replyWith = (text: string, passages: NumberedPassage[]): Piece[] => [
  {
    type: "tool",
    id: "call_1",
    name: "search_documents",
    toolId: null,
    executionType: "documents",
    input: {},
    result: { result: null, isError: false, displayConfig: null, display: null, forModel: "", passages },
  },
  { type: "text", text },
];

it("sourcesOf lists the cited passages once, ordered by number", () => {
  const pieces = replyWith("It closes at 18 [2]. It opens at 9 [1, 2].", [passage(1), passage(2), passage(3)]);
  expect(listCitedSources(pieces).map(({ n }) => n)).toEqual([1, 2]);
});

it("sourcesOf shows only the title of a document with the citation `title`, and nothing of a hidden one", () => {
  const pieces = replyWith("[1] [2]", [passage(1, { citation: "title" }), passage(2, { citation: "hidden" })]);
  expect(listCitedSources(pieces)).toEqual([
    { n: 1, title: "Document 1", url: null, page: null, snippet: "We open at 9." },
  ]);
});

it("sourcesOf lists nothing for a reply without a search", () => {
  expect(listCitedSources([{ type: "text", text: "See [1]." }])).toEqual([]);
});
