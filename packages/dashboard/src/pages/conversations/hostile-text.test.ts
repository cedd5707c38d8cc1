import { expect, it } from "vitest";
import { linkParts } from "./link-parts.ts";
import { splitReply } from "./split-reply.ts";

// As long as a message may be. A quadratic algorithm would take many seconds.
const MANY = 100_000;

it("parses a URL with a lot of punctuation in linear time", () => {
  const text = `https://a.example/${".".repeat(MANY)}x ${")".repeat(MANY)}`;
  const before = performance.now();
  const parts = linkParts(text);
  expect(performance.now() - before).toBeLessThan(1_000);
  expect(parts.map((part) => part.text).join("")).toBe(text);
  expect(linkParts("See https://a.example/b?c=(d)).")).toEqual([
    { text: "See " },
    { text: "https://a.example/b?c=(d", href: "https://a.example/b?c=(d" },
    { text: "))." },
  ]);
});

it("parses a reply with a lot of white space in linear time", () => {
  const content = `\n\n  a${" ".repeat(MANY)}b \n`;
  const before = performance.now();
  const parts = splitReply({ content, toolCalls: [] });
  expect(performance.now() - before).toBeLessThan(1_000);
  expect(parts).toEqual([{ kind: "text", text: `  a${" ".repeat(MANY)}b` }]);
});
