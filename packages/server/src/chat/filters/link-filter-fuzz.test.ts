import { describe, expect, it } from "vitest";
import {
  isForeign,
  listGfmLinks,
  listPlainTextLinks,
  listWidgetLinks,
} from "../../../../../test/links/rendered-links.ts";
import { createKnownLinks, createLinkFilter } from "./link-filter.ts";

/** `npm run test:links` checks a million texts. */
const TEXTS = Number(process.env.FOYER_LINK_TEXTS ?? 5_000);

/** What the texts are made of: the marks of links, parts of addresses, and what renderers read in different ways. */
const pieces = [
  "[",
  "![",
  "]",
  "](",
  "](<",
  ")",
  "(",
  "]:",
  "] [",
  "][",
  "<",
  ">",
  "</",
  "<a href=",
  "<img src=",
  "<div>",
  "=",
  "`",
  "```\n",
  "\\",
  "|",
  "|-|\n",
  "https://",
  "http://",
  "HTTPS:/",
  "https:\\",
  "ftp://",
  "ftp:",
  "https:",
  "//",
  "/",
  ":",
  "http",
  "htt",
  "ps://",
  "tp",
  "s:",
  "www.",
  "www",
  "ww",
  "w.",
  "https&colon;//",
  "&#58;",
  "&sol;",
  "&#x2f;",
  "&period;",
  "%2e",
  "%3a",
  "mailto:",
  "tel:",
  "data:",
  "javascript:",
  "xmpp:",
  "evil.test",
  "evil",
  ".evil.test",
  "evil.test/x?d=1",
  "a@evil.test",
  "@evil.test",
  "@",
  "shop.example",
  "https://shop.example",
  "https://shop.example/",
  "https://shop.example/help",
  "ada@shop.example",
  "www.shop.example",
  "/help",
  "#top",
  "?",
  "#",
  "a",
  "b c",
  ".",
  ",",
  "'",
  '"',
  '"title"',
  "*",
  "**",
  "_",
  "~~",
  "!",
  "1. ",
  "- ",
  "# ",
  "> ",
  " ",
  "\n",
  "\n\n",
  "\t",
  "\r\n",
  "\u00a0",
  "\u200b",
  "\u00ad",
  "。",
  "，",
  "ｅ",
  "\u202e",
  "é",
  "[1]",
  "[1]: ",
  "[^1]: ",
  ":80",
  ":80@",
  "&",
  ";",
  "{",
  "}",
  "-",
];

/** A small generator of pseudo-random numbers, so that every run checks the same texts. */
function createRandom(seed: number) {
  let state = seed;
  return (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const isKnown = createKnownLinks(() => ["Our shop is https://shop.example/."]);

function filterIn(text: string, random: (limit: number) => number): string {
  const filter = createLinkFilter(isKnown);
  const isWhole = random(4) === 0;
  let shown = "";
  for (let at = 0; at < text.length; ) {
    const size = isWhole ? text.length : 1 + random(8);
    shown += filter.push(text.slice(at, at + size));
    at += size;
  }
  return shown + filter.flush();
}

describe("the link filter", () => {
  it(`lets no foreign link through in ${TEXTS.toLocaleString("en")} random texts, whichever program shows them`, () => {
    const random = createRandom(Number(process.env.FOYER_LINK_SEED ?? 7));
    const leaks: string[] = [];
    for (let count = 0; count < TEXTS && leaks.length < 10; count++) {
      const text = Array.from({ length: 2 + random(11) }, () => pieces[random(pieces.length)]).join("");
      const shown = filterIn(text, random);
      const links = [...listWidgetLinks(shown), ...listGfmLinks(shown), ...listPlainTextLinks(shown)];
      const foreign = links.find((link) => isForeign(link, "shop.example"));
      if (foreign !== undefined)
        leaks.push(`${JSON.stringify(text)} is shown as ${JSON.stringify(shown)} with a link to ${foreign}`);
    }
    expect(leaks).toEqual([]);
  }, 3_600_000);
});
