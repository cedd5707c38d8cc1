import { expect, it } from "vitest";
import { packContents, packPostings, unpackContents } from "./postings.ts";
import { findInContents, findTerms, indexContents, toWantedTerms } from "./segment-contents.ts";
import { rankChunks } from "./word-scores.ts";

const terms = ["bik", "bike", "bikes", "biking", "ƀike", "rent", "自転", "𠮷野"];
const packed = packContents(new Map(terms.map((term, chunk) => [term, [{ chunk, frequency: 1, length: 9 }]])));
const contents = indexContents(Buffer.from(packed));

it("packed contents contain terms of which one begins with another, and terms in any script", () => {
  const wanted = ["𠮷野", "bikes", "bike", "absent", "bik", "自転", "zebra"];
  const expected = [...unpackContents(packed)].filter(({ term }) => wanted.includes(term));
  expect(findInContents(contents, toWantedTerms(wanted))).toEqual(
    expected.map((found) => ({ ...found, postings: Buffer.from(found.postings) })),
  );
  expect(expected.map(({ term }) => term)).toEqual(["bik", "bike", "bikes", "自転", "𠮷野"]);
});

it("packed contents are searched for several prefixes, even when one prefix begins with another", () => {
  expect(findTerms(contents, toWantedTerms(["自", "bike", "bi", "x"]))).toEqual([
    "bik",
    "bike",
    "bikes",
    "biking",
    "自転",
  ]);
});

it("packed postings rank chunks whose numbers, frequencies and lengths take several bytes", () => {
  const postings = packPostings([
    { chunk: 3, frequency: 1, length: 2_000 },
    { chunk: 20_000, frequency: 200, length: 150 },
    { chunk: 2_500_000, frequency: 1, length: 20_000 },
  ]);
  const best = rankChunks([{ postings, base: 7, weight: 1 }], 100, 10);
  expect(best.map(({ number }) => number)).toEqual([20_007, 10, 2_500_007]);
  const bm25 = (frequency: number, length: number) =>
    (frequency * 2.2) / (frequency + 1.2 * (0.25 + 0.75 * (length / 100)));
  expect(best.map(({ score }) => score)).toEqual([
    expect.closeTo(bm25(200, 150), 10),
    expect.closeTo(bm25(1, 2_000), 10),
    expect.closeTo(bm25(1, 20_000), 10),
  ]);
});
