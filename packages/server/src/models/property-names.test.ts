import type { JSONSchema7, LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import type { ModelPart, StreamModel } from "./chat-model.ts";
import { withPlainNames } from "./property-names.ts";

const inputSchema = {
  type: "object",
  properties: {
    größe: { type: "string" },
    color: { type: "string", enum: ["größe"] },
    parts: {
      type: "array",
      items: { type: "object", properties: { "page url": { type: "string", description: "Link" } } },
    },
  },
  required: ["größe", "color"],
} as JSONSchema7;

const toStream = (parts: ModelPart[]) =>
  new ReadableStream<ModelPart>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

it("renames properties that the provider refuses, and gives calls their names again", async () => {
  const sent: LanguageModelV4CallOptions[] = [];
  const input = JSON.stringify({ gr__e_1: "M", color: "red", parts: [{ page_url_2: "/x" }] });
  const parts: ModelPart[] = [{ type: "tool-call", toolCallId: "a", toolName: "find", input }];
  const model: StreamModel = {
    provider: "test",
    modelId: "test",
    async doStream(call) {
      sent.push(call);
      return { stream: toStream(parts) };
    },
  };
  const { stream } = await withPlainNames(model).doStream({
    prompt: [],
    tools: [{ type: "function", name: "find", inputSchema }],
  });
  const [call] = await Array.fromAsync(stream);
  expect(sent[0]?.tools?.[0]).toMatchObject({
    inputSchema: {
      properties: {
        gr__e_1: { description: "größe" },
        color: { enum: ["größe"] },
        parts: { items: { properties: { page_url_2: { description: "page url: Link" } } } },
      },
      required: ["gr__e_1", "color"],
    },
  });
  expect(call?.type === "tool-call" && JSON.parse(call.input)).toEqual({
    größe: "M",
    color: "red",
    parts: [{ "page url": "/x" }],
  });
});
