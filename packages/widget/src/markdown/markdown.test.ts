import { linkAddress, toAllowedImageAddress } from "@foyer/contract/rules/safe-address";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { expectLinear } from "../../../../test/cpu-time.ts";
import { type Block, parseBlocks, splitBlocks } from "./blocks.ts";
import { parseInline } from "./inline.ts";
import { type Inline, plainText } from "./inline-writer.ts";

/** Inline elements in a short notation: `*em*`, `**strong**`, `<href|text>`, `!<src|alt>`. */
function abbreviate(parts: readonly Inline[]): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case "text":
          return part.text;
        case "code":
          return `{${part.text}}`;
        case "break":
          return "/";
        case "link":
          return `<${part.href}|${abbreviate(part.children)}>`;
        case "image":
          return `!<${part.src}|${part.alt}>`;
        default:
          return `${part.type}(${abbreviate(part.children)})`;
      }
    })
    .join("");
}
const read = (text: string, hosts: string[] = []) => abbreviate(parseInline(text, hosts));

describe("inline Markdown", () => {
  it.each([
    ["plain", "plain"],
    ["a **b** c", "a strong(b) c"],
    ["a *b* and _c_", "a em(b) and em(c)"],
    ["**a *b* c**", "strong(a em(b) c)"],
    ["~~no~~ yes", "del(no) yes"],
    ["2 * 3 * 4", "2 * 3 * 4"],
    ["snake_case_name", "snake_case_name"],
    ["**open", "**open"],
    ["****", "****"],
    ["a\\*b\\*", "a*b*"],
    ["`a * b`", "{a * b}"],
    ["``a ` b``", "{a ` b}"],
    ["`open", "`open"],
    ["one\ntwo", "one/two"],
    ["[text](https://a.example/x)", "<https://a.example/x|text>"],
    ['[**b** c](https://a.example "title")', "<https://a.example/|strong(b) c>"],
    ["[wiki](https://a.example/a_(b))", "<https://a.example/a_(b)|wiki>"],
    ["[here](/pricing)", "</pricing|here>"],
    ["see [1] and [2](", "see [1] and [2]("],
    ["[a [b](https://b.example/) c](https://a.example/)", "<https://a.example/|a b c>"],
    ["https://a.example/x, then", "<https://a.example/x|https://a.example/x>, then"],
    ["(https://a.example/x)", "(<https://a.example/x|https://a.example/x>)"],
    ["<https://a.example>", "<https://a.example/|https://a.example>"],
    ["ada@shop.example.", "<mailto:ada@shop.example|ada@shop.example>."],
    ["[x](javascript:alert(1))", "x"],
    ["<b>bold</b>", "<b>bold</b>"],
    ["![a](https://spy.example/p.png)", "<https://spy.example/p.png|a>"],
    ["![a](https://img.example/p.png)", "!<https://img.example/p.png|a>"],
  ])("is parsed: %s", (text, expected) => {
    expect(read(text, ["img.example"])).toBe(expected);
  });

  it("closes open emphasis temporarily while more text is streaming in", () => {
    expect(abbreviate(parseInline("so **very", [], true))).toBe("so strong(very)");
    expect(abbreviate(parseInline("so **", [], true))).toBe("so **");
  });

  it("keeps every word of plain text and creates no URL that is not allowed", () => {
    const piece = fc.constantFrom(
      "*",
      "**",
      "_",
      "~~",
      "`",
      "[",
      "](",
      ")",
      "![",
      "\n",
      " ",
      "a",
      "b c",
      "https://x.example",
      "javascript:",
      "<",
      ">",
      "\\",
      "|",
      "data:",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const text = pieces.join("");
        const found = parseInline(text, ["x.example"]);
        const check = (parts: readonly Inline[]) => {
          for (const part of parts) {
            if (part.type === "link") expect(part.href).toMatch(/^(https?:|mailto:|tel:|\/(?![/\\])|#)/);
            if (part.type === "image") expect(part.src).toMatch(/^https:\/\/x\.example/);
            if ("children" in part) check(part.children);
          }
        };
        check(found);
        for (const letter of ["a", "b", "c"]) {
          const count = (words: string) => words.split(letter).length;
          if (!/[\]`\\:]/.test(text)) expect(count(plainText(found))).toBe(count(text));
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("block Markdown", () => {
  const kinds = (text: string) => parseBlocks(text).map((block: Block) => block.type);

  it("is parsed with and without empty lines between blocks", () => {
    expect(kinds("Here:\n- a\n- b\n# Title\ntext\n---\n> said\n```js\nx\n```\n|a|b|\n|-|-|\n|1|2|")).toEqual(
      "paragraph list heading paragraph rule quote code table".split(" "),
    );
  });

  it("supports nested lists with paragraphs and their own numbering", () => {
    expect(parseBlocks("3. one\n   more\n   - inner\n4. two")).toEqual([
      {
        type: "list",
        start: 3,
        items: [
          [
            { type: "paragraph", text: "one\nmore" },
            { type: "list", start: null, items: [[{ type: "paragraph", text: "inner" }]] },
          ],
          [{ type: "paragraph", text: "two" }],
        ],
      },
    ]);
  });

  it("supports tables with alignment, rows of different lengths, and escaped bars in cells", () => {
    expect(parseBlocks("| a | b |\n|:-:|--:|\n| 1 \\| 2 |\n| 3 | 4 | 5 |")).toEqual([
      {
        type: "table",
        align: ["center", "end"],
        head: ["a", "b"],
        rows: [
          ["1 | 2", ""],
          ["3", "4"],
        ],
      },
    ]);
  });

  it("keeps code unchanged, even before its closing fence has arrived", () => {
    expect(parseBlocks("```ts\nconst a = `x`;\n# no title")).toEqual([
      { type: "code", language: "ts", text: "const a = `x`;\n# no title" },
    ]);
  });

  it("is split where later text changes nothing, so finished blocks of a growing text stay the same", () => {
    const text = "One\n\n- a\n\n- b\n\n  c\n\n```\nx\n\ny\n```\n\nTwo\nlines\n\n| a |\n|---|\n| 1 |\n\nEnd";
    const parts = splitBlocks(text);
    expect(parts).toEqual(["One", "- a\n\n- b\n\n  c", "```\nx\n\ny\n```", "Two\nlines", "| a |\n|---|\n| 1 |", "End"]);
    for (let length = 1; length <= text.length; length++) {
      const soFar = splitBlocks(text.slice(0, length));
      expect(soFar.slice(0, -1)).toEqual(parts.slice(0, soFar.length - 1));
    }
  });

  it.each<[what: string, text: (size: number) => string]>([
    ["stars", (size) => "*a ".repeat(size / 3)],
    ["brackets", (size) => "[".repeat(size)],
    ["closing brackets", (size) => "[a](".repeat(size / 4)],
    ["spaces in an address", (size) => `[a](${" ".repeat(size)}`],
    ["spaces", (size) => `a${" ".repeat(size)}b`],
    ["backticks", (size) => Array.from({ length: Math.sqrt(2 * size) }, (_, index) => "`".repeat(index)).join(" ")],
    ["quotes", (size) => `${">".repeat(size / 2)}\n`.repeat(2)],
    ["hashes", (size) => `# ${" #".repeat(size / 2)}x`],
    ["bars", (size) => `|${"a|".repeat(size / 4)}\n|${"-|".repeat(size / 4)}`],
    [
      "nested lists",
      (size) => Array.from({ length: Math.sqrt(size) }, (_, depth) => `${" ".repeat(depth * 2)}- a`).join("\n"),
    ],
    ["fences", (size) => "```a`\n".repeat(size / 6)],
    ["at signs", (size) => "a@".repeat(size / 2)],
  ])("is parsed in linear time even when it is hostile: %s", (_, textOf) => {
    expectLinear(60_000, (size) => {
      const text = textOf(size);
      for (const part of splitBlocks(text)) parseBlocks(part);
      parseInline(text, []);
    });
  });
});

describe("URLs in Markdown", () => {
  it.each([
    "https://a.example/",
    "http://a.example/",
    "mailto:ada@shop.example",
    "tel:+4940555",
    "/pricing?x=1",
    "#top",
  ])("become links when they are safe: %s", (address) => expect(linkAddress(address)).toBe(address));
  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "//evil.example",
    "/\\evil.example",
    "https://user:secret@a.example/",
    "blob:x",
    "relative",
    "",
  ])("do not become links when they are unsafe: %j", (address) => expect(linkAddress(address)).toBeNull());
  it("become images only over HTTPS from allowed hosts, or as small data URLs", () => {
    expect(toAllowedImageAddress("https://a.example/p.png", ["a.example"])).toBe("https://a.example/p.png");
    expect(toAllowedImageAddress("http://a.example/p.png", ["a.example"])).toBeNull();
    expect(toAllowedImageAddress("https://a.example.evil.example/p.png", ["a.example"])).toBeNull();
    expect(toAllowedImageAddress("data:image/png;base64,AAAA", [])).toBe("data:image/png;base64,AAAA");
    expect(toAllowedImageAddress("data:image/svg+xml;base64,AAAA", [])).toBeNull();
  });
});

it.each([
  ["two spaces", "- Save:\n  ```yaml\n  a:\n    b: 1\n  - c\n  ```\n- Done", "a:\n  b: 1\n- c"],
  ["three spaces", "1. Save:\n\n   ```py\n   if a:\n       b()\n   ```\n2. Done", "if a:\n    b()"],
  ["four spaces", "- Save:\n    ```\n    a:\n      b\n    ```", "a:\n  b"],
  ["fewer spaces than the item", "1. Save:\n  ```\n  a:\n    b\n  ```\n2. Done", "a:\n  b"],
  ["an item of its own", "- ```\n  a\n    b\n  ```\n- Done", "a\n  b"],
  ["a nested list", "- A\n  - B\n    ```\n    a\n      b\n    ```", "a\n  b"],
])("keeps the indentation of code in a list with %s", (_, text, code) => {
  expect(JSON.stringify(parseBlocks(text))).toContain(`"text":${JSON.stringify(code)}`);
});

it.each([
  ["https://example.com/help，然后点击", "https://example.com/help"],
  ["営業時間は https://example.com/hours。土日は休みです。", "https://example.com/hours"],
  ["全角（https://example.com/baz）です", "https://example.com/baz"],
  ["见「https://example.com/docs」一节", "https://example.com/docs"],
  ["詳細はhttps://example.com/aをご覧ください", "https://example.com/a"],
  ["https://example.com에서 확인하세요", "https://example.com"],
  ["https://müller.de/über", "https://müller.de/über"],
])("ends the link in %j where the sentence goes on", (text, address) => {
  const links = parseInline(text, []).filter((part) => part.type === "link");
  expect(links.map(({ children }) => plainText(children))).toEqual([address]);
});
