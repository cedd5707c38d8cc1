import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillDisplay } from "./fill-display.ts";
import type { DisplayConfig } from "./tool.ts";

const shoe = {
  name: "Shoe",
  cost: { amount: 49.5 },
  photos: ["https://img.example/1.png"],
  link: "https://shop.example/1",
  internal: "margin 40 %",
};
const cardMappings = { title: "name", price: "cost.amount", image: "photos.0", url: "link" };

function fillSlots(result: unknown, config: DisplayConfig) {
  return fillDisplay(result, config).slots;
}

describe("a display of type text", () => {
  it.each([
    ["a text", "hello", "hello"],
    ["a number", 4, "4"],
    ["null", null, "null"],
    ["an object", { a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
    ["JSON that is a text", '{"a":1}', '{"a":1}'],
  ])("shows %s", (_what, result, text) => {
    expect(fillDisplay(result, null)).toEqual({ type: "text", slots: { text }, options: {} });
    expect(fillDisplay(result, {})).toEqual({ type: "text", slots: { text }, options: {} });
  });

  it("shows only the mapped field", () => {
    expect(fillSlots(shoe, { fieldMappings: { text: "name" } })).toEqual({ text: "Shoe" });
    expect(fillSlots(shoe, { fieldMappings: { text: "photos" } })).toEqual({
      text: '[\n  "https://img.example/1.png"\n]',
    });
    for (const path of ["missing", "toString", "name.length"]) {
      expect(fillSlots(shoe, { fieldMappings: { text: path } })).toEqual({});
    }
  });

  it("shows the whole of a long text, while other slots are cut to 2,000 characters without splitting one", () => {
    const card = (title: string) =>
      fillDisplay({ title }, { type: "product_card", fieldMappings: { title: "title" } }).slots.title;
    expect(fillDisplay("x".repeat(2_001), null).slots.text).toBe("x".repeat(2_001));
    expect(card("x".repeat(2_000))).toBe("x".repeat(2_000));
    expect(card("x".repeat(2_001))).toBe(`${"x".repeat(1_999)}…`);
    expect(card(`${"x".repeat(1_998)}👋👋`)).toBe(`${"x".repeat(1_998)}…`);
  });
});

describe("a card", () => {
  it("contains only what is mapped by path", () => {
    expect(fillDisplay(shoe, { type: "product_card", fieldMappings: cardMappings })).toEqual({
      type: "product_card",
      slots: { title: "Shoe", price: 49.5, image: "https://img.example/1.png", url: "https://shop.example/1" },
      options: {},
    });
  });

  it.each(["product_card", "product_carousel", "image", "table", "buttons", "form", "custom"] as const)(
    "is empty without mappings, even where names match: %s",
    (type) => {
      const result = { title: "Shoe", price: 1, items: ["Shoe"], rows: ["Shoe"], buttons: ["Shoe"] };
      expect(fillSlots(result, { type })).toEqual({});
      expect(JSON.stringify(fillSlots([result, "Shoe"], { type }))).not.toContain("Shoe");
    },
  );

  it("reads the JSON in a mock's text", () => {
    expect(fillSlots(JSON.stringify(shoe), { type: "product_card", fieldMappings: { title: "name" } })).toEqual({
      title: "Shoe",
    });
    expect(fillSlots("{not json", { type: "product_card", fieldMappings: { title: "name" } })).toEqual({});
  });

  it.each([
    ["an object", { a: 1 }],
    ["a list", [1]],
    ["null", null],
  ])("leaves out %s where a scalar is expected", (_what, name) => {
    expect(fillSlots({ name }, { type: "product_card", fieldMappings: { title: "name" } })).toEqual({});
  });

  it.each([
    "__proto__",
    "__proto__.x",
    "constructor",
    "constructor.name",
    "toString",
    "a.length",
    "a.-1",
    "a.first",
    "t.0",
    "a.b.c",
  ])("finds nothing at %s", (path) => {
    const result = JSON.parse('{"__proto__":{"x":"y"},"constructor":"z","a":["q"],"t":"text"}');
    expect(fillSlots(result, { type: "product_card", fieldMappings: { title: path } })).toEqual({});
  });
});

describe("lists in a display", () => {
  it("map the fields of each item of a carousel", () => {
    const config: DisplayConfig = {
      type: "product_carousel",
      fieldMappings: { items: "found.products", ...cardMappings },
    };
    const item = { title: "Shoe", price: 49.5, image: "https://img.example/1.png", url: "https://shop.example/1" };
    expect(fillSlots({ found: { products: [shoe, "text", {}, null, shoe] } }, config)).toEqual({ items: [item, item] });
    expect(fillSlots([shoe], { ...config, fieldMappings: cardMappings })).toEqual({ items: [item] });
    expect(fillSlots({ found: { products: [] } }, config)).toEqual({ items: [] });
    expect(fillSlots({ found: "none" }, config)).toEqual({});
    const many = { found: { products: Array(60).fill(shoe) } };
    expect(fillSlots(many, config).items).toHaveLength(50);
  });

  it("become a table of the mapped columns in order", () => {
    const config: DisplayConfig = {
      type: "table",
      fieldMappings: { Product: "name", rows: "list", "Price (€)": "cost.amount" },
    };
    expect(fillSlots({ list: [shoe, { name: { no: 1 } }, "text", { cost: { amount: true } }] }, config)).toEqual({
      columns: ["Product", "Price (€)"],
      rows: [
        ["Shoe", 49.5],
        [null, null],
        [null, true],
      ],
    });
    expect(fillSlots([shoe], config)).toMatchObject({ rows: [["Shoe", 49.5]] });
    expect(fillSlots({ list: {} }, config)).toEqual({});
    expect(fillSlots({ list: [shoe] }, { type: "table", fieldMappings: { rows: "list" } })).toEqual({});
  });

  it("are limited to 50 rows and 20 columns as a table", () => {
    const fieldMappings = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`column ${index}`, "name"]));
    const table = fillSlots(Array(60).fill(shoe), { type: "table", fieldMappings });
    expect(table.columns).toHaveLength(20);
    expect(table.rows).toHaveLength(50);
    expect((table.rows as unknown[][])[0]).toHaveLength(20);
  });

  it("become buttons, from objects or plain text", () => {
    const fieldMappings = { title: "ask", buttons: "choices", label: "text", value: "id", url: "href" };
    const choices = [
      { text: "Yes", id: 1 },
      { text: "Mail", href: "mailto:a@shop.example" },
      { text: "Bad", href: "javascript:alert(1)" },
    ];
    expect(fillSlots({ ask: "Sure?", choices }, { type: "buttons", fieldMappings })).toEqual({
      title: "Sure?",
      buttons: [{ label: "Yes", value: 1 }, { label: "Mail", url: "mailto:a@shop.example" }, { label: "Bad" }],
    });
    const plain = { type: "buttons", fieldMappings: { buttons: "choices" } } as const;
    expect(fillSlots({ choices: ["Yes", "No"] }, plain)).toEqual({
      buttons: [
        { label: "Yes", value: "Yes" },
        { label: "No", value: "No" },
      ],
    });
  });
});

describe("URLs in a display", () => {
  const png = `data:image/png;base64,${"A".repeat(1_000)}`;

  it.each([
    ["https://shop.example/a b", "https://shop.example/a%20b"],
    ["http://shop.example", "http://shop.example/"],
    ["mailto:a@shop.example", "mailto:a@shop.example"],
  ])("can lead to %s", (link, href) => {
    expect(fillSlots({ link }, { type: "product_card", fieldMappings: { url: "link" } })).toEqual({ url: href });
  });

  const programs = [
    "javascript:alert(1)",
    "JAVASCRIPT:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    " javascript:alert(1)",
    "javascript\r:alert(1)",
    "vbscript:x",
    "data:text/html,<script>",
    "data:text/html;base64,PHM+",
    "DATA:text/html,x",
    "data:image/svg+xml,<svg onload=x>",
    "data:image/svg+xml;base64,PHM+",
    "data:,x",
  ];
  const unsafe = [
    ...programs,
    "blob:https://a/1",
    "file:///etc/passwd",
    "ftp://a/",
    "//evil.example",
    "/relative",
    "relative",
    "",
    "https://",
    "https://shop.example@evil.example/",
    "https://u:p@evil.example/",
    "ht\ntps://a/",
    "https://a/\u0000",
    "\thttps://a/",
    `https://a/${"x".repeat(2_000)}`,
    5,
    true,
    null,
    {},
    ["https://a/"],
  ];

  it.each(unsafe.map((value) => [value]))("never lead to %j", (value) => {
    const fieldMappings = { url: "it", image: "it" };
    for (const type of ["product_card", "custom"] as const)
      expect(fillSlots({ it: value }, { type, fieldMappings })).toEqual({});
    expect(fillSlots({ it: value }, { type: "image", fieldMappings: { image: "it" } })).toEqual({});
    expect(fillSlots([{ it: value }], { type: "product_carousel", fieldMappings })).toEqual({ items: [] });
    expect(fillSlots([{ it: value }], { type: "buttons", fieldMappings: { url: "it" } })).toEqual({ buttons: [] });
  });

  it.each(programs)("are left out of custom slots when they run code: %j", (value) => {
    expect(fillSlots({ it: value }, { type: "custom", fieldMappings: { href: "it" } })).toEqual({});
  });

  it.each([
    ["https", "https://img.example/1.png", true],
    ["http", "http://img.example/1.png", false],
    ["mailto", "mailto:a@img.example", false],
    ["a small picture", png, true],
    ["a webp", png.replace("png", "webp"), true],
    ["100 KB", `data:image/gif;base64,${"A".repeat(136_532)}AA==`, true],
    ["more than 100 KB", `data:image/gif;base64,${"A".repeat(136_540)}`, false],
    ["not base64", "data:image/png,xx", false],
    ["something after the picture", `${png}\n<script>`, false],
  ])("of images are filtered: %s", (_what, image, isShown) => {
    for (const type of ["image", "product_card", "custom"] as const) {
      expect(fillSlots({ image }, { type, fieldMappings: { image: "image" } })).toEqual(isShown ? { image } : {});
    }
  });
});

describe("a custom display", () => {
  it("has any slots, but only scalars", () => {
    const fieldMappings = { seats: "free", label: "name", list: "photos" };
    expect(fillSlots({ ...shoe, free: 3 }, { type: "custom", fieldMappings })).toEqual({ seats: 3, label: "Shoe" });
  });

  it("has no slot named like a property of every object", () => {
    const fieldMappings = JSON.parse('{"__proto__":"name","constructor":"name","a":"name"}');
    const filled = fillSlots(shoe, { type: "custom", fieldMappings });
    expect(Object.keys(filled)).toEqual(["a"]);
  });
});

describe("display options", () => {
  it("are passed on when they are known flags", () => {
    const options = { showPrice: false, showHeader: true, showTitle: "yes", other: true } as Record<string, unknown>;
    expect(fillDisplay("x", { options } as DisplayConfig).options).toEqual({ showPrice: false, showHeader: true });
  });
});

describe("any result", () => {
  it("becomes a display of scalars, lists and rows within the limits", () => {
    const types = ["product_card", "product_carousel", "image", "table", "buttons", "custom"] as const;
    const path = fc.constantFrom("a", "a.0", "b.a", "a.b.0", "0", "__proto__", "b");
    const slot = fc.constantFrom("title", "image", "url", "items", "rows", "buttons", "label", "x");
    const key = fc.constantFrom("a", "b", "0");
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>("text", "javascript:x", "https://a.example/", 1, null),
        fc.array(tie("tree"), { maxLength: 60 }),
        fc.dictionary(key, tie("tree")),
      ),
    }));
    fc.assert(
      fc.property(tree, fc.constantFrom(...types), fc.dictionary(slot, path), (result, type, fieldMappings) => {
        for (const [name, value] of Object.entries(fillSlots(result, { type, fieldMappings }))) {
          if (Array.isArray(value)) expect(value.length).toBeLessThanOrEqual(50);
          else expect(["string", "number", "boolean"]).toContain(typeof value);
          if (name === "url" || name === "image") expect(value).toBe("https://a.example/");
        }
      }),
    );
  });
});

describe("display warnings", () => {
  const warningsOf = (result: unknown, config: DisplayConfig) => {
    const warnings: string[] = [];
    fillDisplay(result, config, (message) => warnings.push(message));
    return warnings;
  };
  const http = { photo: "http://shop.example/1.png" };

  it("name an image that is not an https URL, once per list", () => {
    const reason =
      "image left out: photo is neither an https URL nor a PNG, JPEG, GIF or WebP data URL of at most 100 KB.";
    expect(warningsOf(http, { type: "image", fieldMappings: { image: "photo" } })).toEqual([reason]);
    expect(warningsOf([http, http], { type: "product_carousel", fieldMappings: { image: "photo" } })).toEqual([reason]);
  });

  it("name a mapped field that the result does not have, and a table without columns", () => {
    expect(warningsOf({ a: 1 }, { type: "product_card", fieldMappings: { title: "a", price: "cost" } })).toEqual([
      "price is empty: the result has no field cost.",
    ]);
    expect(warningsOf({ list: [{}] }, { type: "table", fieldMappings: { rows: "list" } })).toEqual([
      "Nothing is shown: the table has no columns.",
    ]);
  });

  it("are not given for a display that shows all of its fields", () => {
    expect(warningsOf(shoe, { type: "product_card", fieldMappings: cardMappings })).toEqual([]);
    expect(warningsOf(shoe, {})).toEqual([]);
  });
});
