import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { replay, streamLines } from "../../../../test/replay.ts";

type Counts = { inputTokens: number; cachedInputTokens: number; outputTokens: number; reasoningTokens: number };
type Json = { [member: string]: unknown };

/** The model whose provider sends streams of this format. */
const models: Record<string, string> = {
  anthropic: "anthropic/claude-sonnet-4-5",
  google: "google/gemini-3-pro-preview",
  mistral: "mistral/mistral-small-latest",
  "openai-chat": "openai-compatible/test",
  "openai-compatible": "openai-compatible/test",
  "openai-responses": "openai/gpt-4.1-mini",
};
const formatOf = (name: string) => name.slice(0, name.indexOf("."));

/** Streams that end with an error report no usage. */
const names = readdirSync(new URL("../../../../test/streams/", import.meta.url))
  .filter((file) => file.endsWith(".jsonl") && !file.includes(".error."))
  .map((file) => file.replace(".jsonl", ""));

/** Reads a number by its path in the last line of a stream that has it. */
function lastCount(name: string, ...paths: string[]): number {
  const values = streamLines(name).flatMap((line) =>
    paths.flatMap((path) => {
      const value = path.split(".").reduce<unknown>((at, key) => (at as Json | undefined)?.[key], JSON.parse(line));
      return typeof value === "number" ? [value] : [];
    }),
  );
  return values.at(-1) ?? 0;
}

/** What the provider has counted, in the words of its own API. */
function reportedBy(name: string): Counts {
  switch (formatOf(name)) {
    case "anthropic": {
      const count = (key: string) => lastCount(name, `message.usage.${key}`, `usage.${key}`);
      const cachedInputTokens = count("cache_read_input_tokens");
      return {
        inputTokens: count("input_tokens") + cachedInputTokens + count("cache_creation_input_tokens"),
        cachedInputTokens,
        outputTokens: count("output_tokens"),
        reasoningTokens: 0,
      };
    }
    case "google": {
      const count = (key: string) => lastCount(name, `usageMetadata.${key}`);
      return {
        inputTokens: count("promptTokenCount"),
        cachedInputTokens: count("cachedContentTokenCount"),
        outputTokens: count("candidatesTokenCount") + count("thoughtsTokenCount"),
        reasoningTokens: count("thoughtsTokenCount"),
      };
    }
    case "openai-responses": {
      const count = (key: string) => lastCount(name, `response.usage.${key}`);
      return {
        inputTokens: count("input_tokens"),
        cachedInputTokens: count("input_tokens_details.cached_tokens"),
        outputTokens: count("output_tokens"),
        reasoningTokens: count("output_tokens_details.reasoning_tokens"),
      };
    }
    default: {
      const count = (key: string) => lastCount(name, `usage.${key}`);
      return {
        inputTokens: count("prompt_tokens"),
        cachedInputTokens: count("prompt_tokens_details.cached_tokens"),
        // xAI does not count thoughts among the completion's tokens, but in the total.
        outputTokens: count("total_tokens") - count("prompt_tokens"),
        reasoningTokens: count("completion_tokens_details.reasoning_tokens"),
      };
    }
  }
}

function add(one: Counts, other: Counts): Counts {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cachedInputTokens: one.cachedInputTokens + other.cachedInputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
  };
}

describe("the steps of a reply", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer((url) => ({
      ANTHROPIC_API_KEY: "sk-ant-1",
      ANTHROPIC_BASE_URL: url,
      GOOGLE_GENERATIVE_AI_API_KEY: "AIza1",
      GOOGLE_GENERATIVE_AI_BASE_URL: url,
      MISTRAL_API_KEY: "m-1",
      MISTRAL_BASE_URL: url,
      OPENAI_API_KEY: "sk-1",
      OPENAI_BASE_URL: url,
      OPENAI_COMPATIBLE_BASE_URL: url,
    }));
  });
  afterAll(() => server.stop());

  it.each(names)("add up to the usage that the provider reports in %s", async (name) => {
    const { upstream, createAgent, addTool, open, call } = server;
    const played: string[] = [];
    upstream.script((exchange) => {
      if (exchange.body === "") return exchange.response.writeHead(404).end();
      played.push(played.length === 0 ? name : `${formatOf(name)}.text`);
      return replay(played.at(-1) as string)(exchange);
    });
    const agentId = await createAgent(models[formatOf(name)] as string);
    for (const tool of ["bike_stock", "opening_hours"]) await addTool(agentId, tool, "Sunny.", { type: "object" });
    const stream = await open(agentId, "Hello?");
    await stream.ended;
    const start = stream.events.find(({ type }) => type === "message_start");
    if (start?.type !== "message_start") throw new Error("The reply did not start.");
    const { body } = await call("GET", `/conversations/${start.conversationId}/messages/${start.messageId}/trace`);
    expect(body.data.totals).toMatchObject(played.map(reportedBy).reduce(add));
  });
});
