import { expect, it } from "vitest";
import { expectLinear } from "../../../../../test/cpu-time.ts";
import { linkParts } from "./link-parts.ts";
import { splitReply } from "./split-reply.ts";

/** As many characters as a message may have. A quadratic algorithm would take many seconds. */
const MANY = 100_000;

it("a URL with a lot of punctuation is parsed in linear time", () => {
  const text = (size: number) => `https://a.example/${".".repeat(size)}x ${")".repeat(size)}`;
  expectLinear(MANY, (size) => linkParts(text(size)));
  expect(
    linkParts(text(MANY))
      .map((part) => part.text)
      .join(""),
  ).toBe(text(MANY));
  expect(linkParts("See https://a.example/b?c=(d)).")).toEqual([
    { text: "See " },
    { text: "https://a.example/b?c=(d", href: "https://a.example/b?c=(d" },
    { text: "))." },
  ]);
});

it("a reply with a lot of white space is parsed in linear time", () => {
  const split = (size: number) => splitReply({ content: `\n\n  a${" ".repeat(size)}b \n`, toolCalls: [] });
  expectLinear(MANY, split);
  expect(split(MANY)).toEqual([{ kind: "text", text: `  a${" ".repeat(MANY)}b` }]);
});
