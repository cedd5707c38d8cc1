import type { JSONSchema7, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseTool } from "./tool-choice.ts";

function tool(name: string, description: string, properties: JSONSchema7["properties"] = {}, required: string[] = []) {
  return { type: "function", name, description, inputSchema: { type: "object", properties, required } } as const;
}

const shop: LanguageModelV4FunctionTool[] = [
  tool("opening_hours", "Tells when the shop is open."),
  tool(
    "check_stock",
    "Look up how many of a bike are in stock at Harbour Bikes.",
    { bike: { type: "string", description: "Name of the bike" } },
    ["bike"],
  ),
  tool("show_bikes", "Shows the bikes as a carousel.", {
    type: { type: "string", enum: ["city", "touring", "e_bike"] },
  }),
  tool("book_test_ride", "Shows the form to book a test ride.", {
    bike: { type: "string", enum: ["Harbour City", "Harbour Tour"] },
    date: { type: "string", format: "date" },
    email: { type: "string" },
  }),
  tool("order_status", "Where an order is.", { order_id: { type: "string" } }, ["order_id"]),
  tool("cancel_order", "Cancels an order.", { order_id: { type: "string" } }, ["order_id"]),
  tool("rental_price", "Price of renting bikes.", { days: { type: "integer" }, people: { type: "integer" } }, ["days"]),
];

describe("chooseTool", () => {
  it.each([
    ["When are you open?", "opening_hours", {}],
    ["When are you open on Saturday?", "opening_hours", {}],
    ["Hello. What are your opening hours?", "opening_hours", {}],
    ["opening hours", "opening_hours", {}],
    ["Is the Harbour City in stock?", "check_stock", { bike: "Harbour City" }],
    ["is the harbour city in stock?", "check_stock", { bike: "harbour city" }],
    ['How many "Tour 2" are in stock?', "check_stock", { bike: "Tour 2" }],
    ["Show me your bikes", "show_bikes", {}],
    ["Show me touring bikes", "show_bikes", { type: "touring" }],
    ["Can I book a test ride?", "book_test_ride", {}],
    [
      "I'd like a test ride with the Harbour Tour on 3 May 2026, anna@example.com.",
      "book_test_ride",
      { bike: "Harbour Tour", date: "2026-05-03", email: "anna@example.com" },
    ],
    ["Where is order HB-1042?", "order_status", { order_id: "HB-1042" }],
    ["What is the status of my order 12345?", "order_status", { order_id: "12345" }],
    ["I'd like to know about my order HB-1042", "order_status", { order_id: "HB-1042" }],
    ["Please cancel my order HB-1042.", "cancel_order", { order_id: "HB-1042" }],
    ["What is the rental price for 3 days?", "rental_price", { days: 3 }],
    ["What is the rental price for 2 people and 3 days?", "rental_price", { days: 3, people: 2 }],
  ])("%j calls %s", (message, toolName, input) => {
    expect(chooseTool(message, shop)).toEqual({ toolName, input });
  });

  it.each([
    "I read about opening hours in your blog.",
    "Nice opening hours",
    "Is the door open?",
    "Why are your opening hours so short?",
    "What is the stock market?",
    "I like your stock photos.",
    "Do you have stock photos?",
    "Is it in stock?",
    "Which bikes are cheap?",
    "Do you repair bikes?",
    "What does a test ride cost?",
    "I don't want to book a test ride.",
    "Please do not cancel my order HB-1042.",
    "Bitte zeige die opening hours nicht.",
    "I wrote about the test ride on my blog.",
    "What is the rental price?",
    "I want to order a pizza",
    "Where is my order?",
    "Hello",
    "",
    "?",
  ])("%j calls nothing", (message) => {
    expect(chooseTool(message, shop)).toBeNull();
  });

  it("does not guess between tools that fit equally", () => {
    const twins = [tool("list_bikes", "Bikes."), tool("show_bikes", "Bikes.")];
    expect(chooseTool("Show me the bikes", twins)).toBeNull();
    expect(chooseTool("Show me the bikes", twins.slice(1))?.toolName).toBe("show_bikes");
  });

  it("wants the verb of an action, not just its thing", () => {
    const buy = [tool("buy_ticket", "Buys a ticket.")];
    expect(chooseTool("I want to buy a ticket", buy)).not.toBeNull();
    expect(chooseTool("Where is my ticket?", buy)).toBeNull();
    expect(chooseTool("I would like my ticket", buy)).toBeNull();
  });

  it("calls by the description where the name says nothing", () => {
    const inventory = tool("inventory", "Checks whether a bike is in stock.", { bike: { type: "string" } }, ["bike"]);
    expect(chooseTool("Is the Tour bike in stock?", [inventory])?.input).toEqual({ bike: "Tour" });
  });

  it("finds tools in other languages", () => {
    expect(chooseTool("Wie sind Ihre Öffnungszeiten?", [tool("oeffnungszeiten", "Wann geöffnet ist.")])).not.toBeNull();
    expect(chooseTool("在庫を教えてください", [tool("stock", "在庫を調べる。在庫一覧。")])).toBeNull();
    const stock = tool("zaiko", "商品の在庫状況を調べる", { item: { type: "string", enum: ["自転車", "鍵"] } }, [
      "item",
    ]);
    expect(chooseTool("自転車の在庫状況を教えてください", [stock])?.input).toEqual({ item: "自転車" });
  });
});

describe("the input of a chosen tool", () => {
  const fill = (message: string, key: string, property: JSONSchema7, isRequired = true) =>
    chooseTool(message, [tool("find_ticket", "Finds a ticket.", { [key]: property }, isRequired ? [key] : [])])?.input;

  it.each<[string, string, JSONSchema7, unknown]>([
    ["Find the ticket for bob@example.org please", "e_mail", { type: "string" }, "bob@example.org"],
    ["Find the ticket at https://bikes.example/a?b=1.", "page_url", { type: "string" }, "https://bikes.example/a?b=1"],
    ["Find the ticket of 2026-02-28", "date", { type: "string", format: "date" }, "2026-02-28"],
    ["Find the ticket of 28.2.2026", "date", { type: "string", format: "date" }, "2026-02-28"],
    ["Find the ticket of March 1st, 2026", "day", { type: "string" }, "2026-03-01"],
    ["Find the ticket of 5. März 2026", "day", { type: "string" }, "2026-03-05"],
    ["Find the ticket for tomorrow", "day", { type: "string" }, "tomorrow"],
    ["Find the ticket for tomorrow", "day", { type: "string", format: "date" }, undefined],
    ["Find the ticket of 31.2.2026", "date", { type: "string", format: "date" }, undefined],
    ["Find the ticket with code SPRING-26", "code", { type: "string" }, "SPRING-26"],
    ["Find the ticket #4711", "offerId", { type: "string" }, "4711"],
    ["Find the ticket for +49 40 123456", "phone", { type: "string" }, "+49 40 123456"],
    ["Find the ticket under 1,250.50", "limit", { type: "number" }, 1250.5],
    ["Find the ticket under 12,5", "limit", { type: "number" }, 12.5],
    ["Find the ticket under 12.5", "limit", { type: "integer" }, undefined],
    ["Find the ticket under 12", "limit", { type: "number", maximum: 10 }, undefined],
    ["Find the ticket at 9:30", "limit", { type: "number" }, undefined],
    ["Find the ticket for size M", "size", { enum: ["S", "M", "L"] }, "M"],
    ["Find the ticket I'm after", "size", { enum: ["S", "M", "L"] }, undefined],
    ["Find the ticket for city or touring", "kind", { enum: ["city", "touring"] }, undefined],
    ["Find the ticket for city bikes", "kind", { enum: ["city", "city_bike"] }, "city_bike"],
    ["Find the ticket for 28 inch", "inch", { type: "number", enum: [26, 28] }, 28],
    ["Find the ticket with insurance", "insurance", { type: "boolean" }, true],
    ["Find the ticket without insurance", "insurance", { type: "boolean" }, false],
    ["Find the ticket", "insurance", { type: "boolean" }, undefined],
    ["Find the ticket about insurance", "insurance", { type: "boolean" }, undefined],
    [
      "Find the ticket for red and blue",
      "colours",
      { type: "array", items: { enum: ["red", "blue"] } },
      ["red", "blue"],
    ],
    ["Find the ticket for 3 and 5", "sizes", { type: "array", items: { type: "number" } }, [3, 5]],
    ['Find the ticket for "Tour" and "City"', "bikes", { type: "array", items: { type: "string" } }, ["Tour", "City"]],
    ["Find the ticket", "bikes", { type: "array", items: { type: "string" } }, undefined],
    ["Find the ticket", "options", { type: "object" }, {}],
    ["Find the ticket for Anna", "options", { type: "object", required: ["a"] }, undefined],
    ["Find the ticket for old tandems", "bike", { type: "string" }, "old tandems"],
    ["Find the ticket for old tandems", "customer_name", { type: "string" }, undefined],
    ["Find the ticket for Anna Berg", "customer_name", { type: "string" }, "Anna Berg"],
  ])("%j gives %s", (message, key, property, value) => {
    expect(fill(message, key, property)).toEqual(value === undefined ? undefined : { [key]: value });
  });

  it.each<[string, string, JSONSchema7, Record<string, unknown>]>([
    ["Find the ticket for 4 people", "people", { type: "number" }, { people: 4 }],
    ["Find the ticket 4", "people", { type: "number" }, {}],
    ["Find the ticket, my mail is a@b.example", "email", { type: "string" }, { email: "a@b.example" }],
    ["Find the ticket for red", "colour", { enum: ["red"] }, { colour: "red" }],
    ["Find the ticket, ticket, please", "note", { type: "string" }, {}],
    ["Find the ticket", "insurance", { type: "boolean" }, {}],
  ])("%j fills the optional property only when it is clear: %s", (message, key, property, input) => {
    expect(fill(message, key, property, false)).toEqual(input);
  });

  it("gives each number to the property that stands next to it", () => {
    const frame = tool(
      "frame_price",
      "Price of a frame.",
      { width: { type: "number" }, height: { type: "number" }, parts: { type: "number" } },
      ["width", "height"],
    );
    expect(chooseTool("What is the frame price for height 30, width 20?", [frame])?.input).toEqual({
      width: 20,
      height: 30,
    });
  });

  it("never crashes, and gives every required input", () => {
    const message = fc.array(
      fc.oneof(
        fc.constantFrom("is", "Tour", "in stock", "order", "book test ride", "12", "?"),
        fc.string({ unit: "binary" }),
      ),
    );
    fc.assert(
      fc.property(message, (words) => {
        const chosen = chooseTool(words.join(" "), shop);
        const schema = shop.find(({ name }) => name === chosen?.toolName)?.inputSchema;
        expect((schema?.required ?? []).every((key: string) => Object.hasOwn(chosen?.input ?? {}, key))).toBe(true);
      }),
    );
  });
});
