import { describe, expect, it } from "vitest";
import { type DiffPart, diffLines, withoutDistantLines } from "./text-diff.ts";

const signs = { same: " ", removed: "-", added: "+" } as const;
const print = (parts: ReadonlyArray<DiffPart | null>) =>
  parts.flatMap((part) => (part ? part.lines.map((line) => signs[part.kind] + line) : ["…"]));
const diff = (from: string[], to: string[]) => print(diffLines(from.join("\n"), to.join("\n")));

describe("comparing two texts by lines", () => {
  it("keeps the lines around a changed one", () => {
    expect(diff(["a", "b", "c"], ["a", "x", "c"])).toEqual([" a", "-b", "+x", " c"]);
  });

  it("shows an inserted line only as added", () => {
    expect(diff(["a", "c"], ["a", "b", "c"])).toEqual([" a", "+b", " c"]);
  });

  it("shows a removed line only as removed", () => {
    expect(diff(["a", "b", "c"], ["a", "c"])).toEqual([" a", "-b", " c"]);
  });

  it("does not count a line twice that occurs at the start and at the end", () => {
    expect(diff(["a"], ["a", "a"])).toEqual([" a", "+a"]);
  });

  it("keeps a moved line in one of its places", () => {
    expect(diff(["a", "b", "c"], ["b", "c", "a"])).toEqual(["-a", " b", " c", "+a"]);
  });

  it("replaces all lines of texts that are too long to compare", () => {
    const lines = (name: string) => Array.from({ length: 2_100 }, (_, n) => `${name} ${n}`);
    expect(diffLines(lines("old").join("\n"), lines("new").join("\n")).map(({ kind }) => kind)).toEqual([
      "removed",
      "added",
    ]);
  });

  it("leaves out lines far from a change", () => {
    const before = ["1", "2", "3", "4", "5", "6"];
    expect(print(withoutDistantLines(diffLines(before.join("\n"), [...before, "7"].join("\n"))))).toEqual([
      "…",
      " 5",
      " 6",
      "+7",
    ]);
  });

  it("shows a single line instead of a gap", () => {
    expect(print(withoutDistantLines(diffLines("1\n2\n3\n4", "1\n2\n3\nx")))).toEqual([" 1", " 2", " 3", "-4", "+x"]);
  });
});
