import fc from "fast-check";
import { expect, it } from "vitest";
import { readNumber, writeNumber } from "./read-number.ts";

it.each<[string, ReturnType<typeof readNumber>]>([
  ["1,5", 1.5],
  ["1.5", 1.5],
  [",5", 0.5],
  ["12", 12],
  ["-3,25", -3.25],
  ["\u22123", -3],
  ["1.234,5", 1234.5],
  ["1,234.5", 1234.5],
  ["1.234.567", 1_234_567],
  ["1 234,5", 1234.5],
  ["1\u202f234", 1234],
  ["1'234.50", 1234.5],
  ["2500", 2500],
  ["0,125", 0.125],
  ["1,2345", 1.2345],
  ["1234,567", 1234.567],
  ["1e3", 1000],
  ["１２", 12],
  ["٣٫٥", 3.5],
  ["2.500", [2500, 2.5]],
  ["-2,500", [-2500, -2.5]],
  ["", null],
  ["abc", null],
  ["1,2,3", null],
  ["1.23.4", null],
  ["1,5 kg", null],
  ["0x10", null],
])("reads %j as %j", (text, expected) => {
  expect(readNumber(text)).toEqual(expected);
});

it.each(["en", "de", "fr", "ar", "ja"])("writes numbers in %s so that they are read as the same numbers", (locale) => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
      expect(readNumber(writeNumber(number, locale))).toBe(
        number === 0 ? (writeNumber(number).startsWith("-") ? -0 : 0) : number,
      );
    }),
  );
});
