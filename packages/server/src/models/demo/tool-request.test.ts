import type { JSONSchema7, LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findRequestedTool } from "./tool-request.ts";

function createTool(
  name: string,
  description: string,
  properties: JSONSchema7["properties"] = {},
  required: string[] = [],
) {
  return { type: "function", name, description, inputSchema: { type: "object", properties, required } } as const;
}

const shop: LanguageModelV4FunctionTool[] = [
  createTool("opening_hours", "Tells when the shop is open."),
  createTool("check_stock", "Look up how many of a bike are in stock.", { bike: { type: "string" } }, ["bike"]),
  createTool("show_bikes", "Shows the bikes as a carousel.", { type: { type: "string", enum: ["city", "touring"] } }),
  createTool("book_test_ride", "Shows the form to book a test ride."),
  createTool("order_status", "Where an order is.", { order_id: { type: "string" } }, ["order_id"]),
  createTool("rental_price", "Price of renting bikes.", { days: { type: "integer" } }, ["days"]),
  createTool("send_invoice", "Sends the invoice.", { email: { type: "string" } }, ["email"]),
];

describe("findRequestedTool", () => {
  it.each([
    ["When are you open?", "opening_hours", {}],
    ["opening hours", "opening_hours", {}],
    ["Is the Harbour City in stock?", "check_stock", { bike: "Harbour City" }],
    ["How many of the Tourer 28 are in stock? Use check_stock", "check_stock", { bike: "Tourer 28" }],
    ["Show me touring bikes", "show_bikes", { type: "touring" }],
    ["Can I book a test ride?", "book_test_ride", {}],
    ["What is the status of my order HB-1042?", "order_status", { order_id: "HB-1042" }],
    ["What is the rental price for 3 days?", "rental_price", { days: 3 }],
    ["Please send the invoice to ada@example.com", "send_invoice", { email: "ada@example.com" }],
  ])("returns for %j the tool %s", (message, toolName, input) => {
    expect(findRequestedTool(message, shop)).toEqual({ toolName, input });
  });

  it.each([
    "I read about opening hours in your blog.",
    "I don't want to book a test ride.",
    "What is the rental price?",
    "What is the status of my order?",
    "Do you repair wheels?",
    "Hello",
    "",
    "?",
  ])("returns nothing for %j", (message) => {
    expect(findRequestedTool(message, shop)).toBeNull();
  });

  it("never fails, and fills every required input", () => {
    const part = fc.oneof(fc.constantFrom("in stock", "order", "12", "Tour", "?"), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(fc.array(part), (words) => {
        const chosen = findRequestedTool(words.join(" "), shop);
        const schema = shop.find(({ name }) => name === chosen?.toolName)?.inputSchema;
        expect((schema?.required ?? []).every((key: string) => Object.hasOwn(chosen?.input ?? {}, key))).toBe(true);
      }),
    );
  });
});
