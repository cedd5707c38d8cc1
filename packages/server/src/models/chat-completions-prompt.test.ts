import { type LanguageModelV4ToolResultOutput, UnsupportedFunctionalityError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { toChatMessages, toChatToolChoice, toChatTools } from "./chat-completions-prompt.ts";

describe("toChatMessages", () => {
  it("turns a conversation with a tool call into messages of text", () => {
    const messages = toChatMessages([
      { role: "system", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Hello." },
          { type: "text", text: "Weather?" },
        ],
      },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hidden" },
          { type: "text", text: "Let me " },
          { type: "text", text: "see." },
          { type: "tool-call", toolCallId: "a", toolName: "weather", input: { city: "Rome" } },
        ],
      },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "a", toolName: "weather", output: { type: "text", value: "sunny" } },
          { type: "tool-result", toolCallId: "b", toolName: "weather", output: { type: "json", value: { t: 20 } } },
        ],
      },
      { role: "assistant", content: [{ type: "text", text: "Sunny." }] },
    ]);
    expect(messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello.\nWeather?" },
      {
        role: "assistant",
        content: "Let me see.",
        tool_calls: [{ id: "a", type: "function", function: { name: "weather", arguments: '{"city":"Rome"}' } }],
      },
      { role: "tool", tool_call_id: "a", content: "sunny" },
      { role: "tool", tool_call_id: "b", content: '{"t":20}' },
      { role: "assistant", content: "Sunny." },
    ]);
  });

  it("uses null content only beside tool calls, and always sends arguments", () => {
    const call = { type: "tool-call" as const, toolCallId: "a", toolName: "weather", input: undefined };
    expect(
      toChatMessages([
        { role: "assistant", content: [call] },
        { role: "assistant", content: [] },
      ]),
    ).toEqual([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "weather", arguments: "{}" } }],
      },
      { role: "assistant", content: "" },
    ]);
  });

  it.each<[LanguageModelV4ToolResultOutput, string]>([
    [{ type: "text", value: "fine" }, "fine"],
    [{ type: "json", value: null }, "null"],
    [{ type: "error-text", value: "broken" }, "broken"],
    [{ type: "error-json", value: { code: 1 } }, '{"code":1}'],
    [
      {
        type: "content",
        value: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
      "a\nb",
    ],
    [{ type: "execution-denied" }, "The call was not allowed."],
    [{ type: "execution-denied", reason: "Closed." }, "Closed."],
  ])("turns the result %j into %j", (output, content) => {
    const result = { type: "tool-result" as const, toolCallId: "a", toolName: "weather", output };
    expect(toChatMessages([{ role: "tool", content: [result] }])).toEqual([
      { role: "tool", tool_call_id: "a", content },
    ]);
  });

  it("sends the pictures of a user's message with its text", () => {
    const data = { type: "data" as const, data: "iVBORw0KGgo=" };
    const picture = { type: "file" as const, mediaType: "image/png", data };
    expect(toChatMessages([{ role: "user", content: [{ type: "text", text: "What is this?" }, picture] }])).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
        ],
      },
    ]);
  });

  it("refuses what the format cannot express", () => {
    const file = { type: "file" as const, mediaType: "application/pdf", data: { type: "data" as const, data: "" } };
    const output = { type: "content" as const, value: [file] };
    const refused = [
      () => toChatMessages([{ role: "user", content: [file] }]),
      () => toChatMessages([{ role: "assistant", content: [file] }]),
      () =>
        toChatMessages([{ role: "tool", content: [{ type: "tool-result", toolCallId: "a", toolName: "b", output }] }]),
      () =>
        toChatMessages([
          { role: "tool", content: [{ type: "tool-approval-response", approvalId: "a", approved: true }] },
        ]),
      () => toChatTools([{ type: "provider", id: "x.search", name: "search", args: {} }]),
    ];
    for (const convert of refused) expect(convert).toThrow(UnsupportedFunctionalityError);
  });
});

describe("toChatTools", () => {
  it("describes functions, and is undefined without any", () => {
    const inputSchema = { type: "object" as const, properties: { city: { type: "string" as const } } };
    expect(
      toChatTools([
        { type: "function", name: "weather", description: "Tells the weather", inputSchema },
        { type: "function", name: "time", inputSchema },
      ]),
    ).toEqual([
      { type: "function", function: { name: "weather", description: "Tells the weather", parameters: inputSchema } },
      { type: "function", function: { name: "time", parameters: inputSchema } },
    ]);
    expect(toChatTools([])).toBeUndefined();
    expect(toChatTools(undefined)).toBeUndefined();
  });
});

describe("toChatToolChoice", () => {
  it.each([
    [undefined, undefined],
    [{ type: "auto" as const }, "auto"],
    [{ type: "none" as const }, "none"],
    [{ type: "required" as const }, "required"],
    [
      { type: "tool" as const, toolName: "weather" },
      { type: "function", function: { name: "weather" } },
    ],
  ])("turns %j into %j", (choice, expected) => {
    expect(toChatToolChoice(choice)).toEqual(expected);
  });
});
