import fc from "fast-check";
import { expect, it } from "vitest";
import { keysFrom, keysOf, queryKeysOf, toToken } from "./text-keys.ts";

const organizationId = "org_1";

/** Whether the index would give a text as a candidate for a search. */
function isCandidate(text: string, query: string): boolean {
  const keys = keysOf(organizationId, text);
  const wanted = queryKeysOf(organizationId, query, 12);
  if (wanted === null) return true;
  return (
    wanted.all.every((key) => keys.has(key)) &&
    wanted.starts.every((start) => keysFrom(start).some((key) => keys.has(key)))
  );
}

const texts = fc.string({ unit: fc.constantFrom(..."aAbçÅßİ9'-., \n東京都ไทยΣσς👍\ud83d"), maxLength: 40 });

it("keys of a text contain those of every part of it", () => {
  fc.assert(
    fc.property(texts, fc.nat(40), fc.nat(20), (text, from, length) => {
      expect(isCandidate(text, text.slice(from, from + length))).toBe(true);
    }),
  );
});

it.each([
  ["The delivery is late", "delivery", true],
  ["The delivery is late", "ELIVER", true],
  ["The delivery is late", "delivered", false],
  ["The delivery is late", "ry", true],
  ["The delivery is late", "rz", false],
  ["配送状況", "配送", true],
  ["配送状況", "状", true],
  ["配送状況", "京", false],
  ["return the label", "return label", true],
  ["the labels", "label ", false],
  ["anything", "?!", true],
])("takes %j as a candidate for a search of %j: %j", (text, query, expected) => {
  expect(isCandidate(text, query)).toBe(expected);
});

it("gives the same text other keys in another organization", () => {
  const own = keysOf(organizationId, "delivery");
  expect([...keysOf("org_2", "delivery")].filter((key) => own.has(key))).toEqual([]);
});

it("gives the keys of a start tokens with the same beginning", () => {
  const [start = 0] = queryKeysOf(organizationId, "ry", 12)?.starts ?? [];
  const beginnings = new Set(keysFrom(start).map((key) => toToken(key).slice(0, -1)));
  expect(beginnings.size).toBe(1);
});
