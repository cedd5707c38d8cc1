import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { expectLinear } from "../../../../../test/cpu-time.ts";
import { createKnownLinks, createLinkFilter } from "./link-filter.ts";

const isKnown = createKnownLinks(() => [
  "See https://shop.example/help.",
  '["https://app.shop.test"]',
  "mail ada@shop.example",
]);

function filterDeltas(...deltas: string[]): string {
  const filter = createLinkFilter(isKnown);
  return deltas.map((delta) => filter.push(delta)).join("") + filter.flush();
}

const cases: Array<[string, string]> = [
  ["See https://shop.example/a?b=1#c.", "See https://shop.example/a?b=1#c."],
  ['[Help](https://shop.example/help "Help") and more', '[Help](https://shop.example/help "Help") and more'],
  ["https://docs.shop.example is a subdomain", "https://docs.shop.example is a subdomain"],
  ["[Login](https://evil.example/login)", "Login"],
  ["![x](https://evil.example/a.png) after", "x after"],
  ["Go to https://evil.example/a now", "Go to evil.example now".replace("example", "example/a")],
  ["www.evil.example", "evil.example"],
  ["[1]: https://evil.example\n", "[1] evil.example\n"],
  ["https://https://evil.example hhttps://ttps://evil.example", "evil.example h ttps://evil.example"],
  ["www.www.www.evil.example", "evil.example"],
  ["[a](x)(https&colon;//evil.example) [a](x)[b]", "[a] (x)(https&colon; evil.example) [a] (x)[b]"],
  ["[a]: https://evil.example https&colon;//evil.example", "[a] evil.example https&colon; evil.example"],
  ["////evil.example/x https:/evil.example https:\\\\evil.example", "evil.example/x evil.example evil.example"],
  ["1/2, and/or, a // comment, 50 km/h", "1/2, and/or, a // comment, 50 km/h"],
  ["[Note]: see below", "[Note]: see below"],
  ["[write](mailto:ada@shop.example) [write](mailto:eve@evil.example)", "[write](mailto:ada@shop.example) write"],
  ["[a](https&colon;//evil.example)", "a"],
  ["[x](never closed", "[x] (never closed"],
  ["An array[0](call) and a list [1], [2].", "An array[0] (call) and a list [1], [2]."],
  ["Is it so? Which?", "Is it so? Which?"],
  ["See [our prices](https://evil.example/prices).", "See our prices."],
  ["([our prices](https://evil.example/prices))", "(our prices)"],
  ["htt[p](https://evil.example)s://evil.example", "htt p s://evil.example"],
  ["htt[](https://evil.example)ps://evil.example", "htt ps://evil.example"],
  ["[www](https://evil.example).evil.example", "www .evil.example"],
  ["[a [b](https://shop.example/b) c](https://evil.example)", "a [b](https://shop.example/b) c"],
  ["[![x](https://evil.example/a.png)](https://evil.example)", " x "],
  ["[terms](https://shop.example/ https://evil.example/?d=1)", "[terms](https://shop.example/)"],
  ["[shop](https://shop.example)", "[shop](https://shop.example/)"],
  ["https://shop.exampleftp://.evil.example/", "https://shop.example .evil.example/"],
  ["https://shop.example).evil.example", "https://shop.example ).evil.example"],
  ["https://shop.example`.evil.example", "https://shop.example `.evil.example"],
  ["Open (https://shop.example). **https://shop.example**", "Open (https://shop.example). **https://shop.example**"],
  ["See https://shop.example. Or www.shop.example.", "See https://shop.example. Or www.shop.example."],
  ["80@evil-.wwwhttps://shop.example ", "80 (at) evil-.www shop.example "],
  ["ada@shop.examplewww..shop.example", "ada (at) shop.example .shop.example"],
  ["<tel:eve@shop.example>", "< tel:eve@shop.example >"],
  ["请看https://shop.example/help。", "请看https://shop.example/help。"],
  ["Write to ada@shop.example or eve@evil.example.", "Write to ada@shop.example or eve (at) evil.example."],
  [
    "<https://shop.example/> <https://evil.example> <mailto:eve@evil.example>",
    "<https://shop.example/> < evil.example> < mailto:eve (at) evil.example>",
  ],
  ['<b>1 < 2</b> <a href="https://shop.example/">x</a>', '<b>1 < 2</b> <a href="https://shop.example/">x</a>'],
  ['<img src="https&colon;//evil.example/a.png">', '< img src="https&colon; evil.example/a.png">'],
  ["https://www.evil.example/x", "evil.example/x"],
];

describe("the link filter", () => {
  it.each(cases)("turns %j into %j", (text, expected) => {
    expect(filterDeltas(text)).toBe(expected);
  });

  it("finds the same links however the text is split into deltas", () => {
    const piece = fc.constantFrom(
      ...cases.map(([text]) => text),
      "](",
      "](x",
      ")",
      "\n\n",
      "h",
      "https:",
      "//",
      "www.",
      " ",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.array(fc.nat(60), { maxLength: 8 }), (pieces, cuts) => {
        const text = pieces.join("");
        const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length];
        const deltas = at.slice(1).map((end, index) => text.slice(at[index], end));
        expect(filterDeltas(...deltas)).not.toMatch(/https?:\/\/(?:evil)|\]\([^)]*evil/);
      }),
    );
  });

  it("holds back only text that may become a link", () => {
    const filter = createLinkFilter(isKnown);
    expect(filter.push("Hello wor")).toBe("Hello wor");
    expect(filter.push("ld, see [the page](https://shop")).toBe("ld, see ");
    expect(filter.push(".example/) here")).toBe("[the page](https://shop.example/) here");
    expect(filter.push(", as in [1]")).toBe(", as in ");
    expect(filter.push(" and [2].")).toBe("[1] and [2].");
  });

  it.each(["](", "]:", "](a", "[x]: h", "http://", "www.", "https://a@"])(
    "filters a text that repeats %j in linear time, however it is split",
    (part) => {
      expectLinear(40_000, (size) => {
        const filter = createLinkFilter(isKnown);
        const long = part.repeat(Math.ceil(size / part.length));
        for (let at = 0; at < long.length; at += 100) filter.push(long.slice(at, at + 100));
        filter.push(long);
        filter.flush();
      });
    },
  );

  it("searches a long trusted text once, not for every link", () => {
    const long = Array.from({ length: 20_000 }, (_, number) => `https://host-${number}.example/`).join(" ");
    const filter = createLinkFilter(createKnownLinks(() => [long]));
    const search = vi.spyOn(String.prototype, "matchAll");
    onTestFinished(() => search.mockRestore());
    const text = "[a](https://evil.test/) https://www.host-19999.example/b ".repeat(200);
    expect(filter.push(text) + filter.flush()).toBe("a https://www.host-19999.example/b ".repeat(200));
    expect(search.mock.contexts.filter((searched) => searched === long)).toHaveLength(1);
  });
});
