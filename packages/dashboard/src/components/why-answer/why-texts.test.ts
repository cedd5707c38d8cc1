import type { FoundPassage, ReplySearch } from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { describeOutcome, describeSearch } from "./why-texts.ts";

const passage = (n: number, isCited: boolean) => ({ n, isCited }) as FoundPassage;
const search = (changes: Partial<ReplySearch>): ReplySearch => ({
  kind: "search",
  queries: ["hours"],
  ms: 12,
  isError: false,
  passages: [],
  total: changes.passages?.length ?? 0,
  ...changes,
});

describe("the explanation of a reply", () => {
  it("counts each passage once, even when several searches found it", () => {
    const searches = [
      search({ passages: [passage(1, true), passage(2, false)] }),
      search({ passages: [passage(1, true)] }),
    ];
    expect(describeOutcome(searches)).toBe("1 of 2 passages cited");
  });

  it("says that nothing was found, that a search failed, and that nothing was searched", () => {
    expect(describeOutcome([search({})])).toBe("Nothing found");
    expect(describeOutcome([search({ isError: true })])).toBe("The search failed");
    expect(describeOutcome([search({ kind: "prompt", total: 3 })])).toBe("0 of 3 passages cited");
    expect(describeSearch(search({ ms: 0 }))).toBe("The search found nothing in 1 ms for:");
    expect(describeSearch(search({ total: 6 }))).toBe("The search found 6 passages in 12 ms for:");
    expect(describeSearch(search({ kind: "prompt", total: 3 }))).toBe(
      "The documents are short, so the model received all 3 passages without a search.",
    );
  });
});
