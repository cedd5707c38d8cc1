import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../../test/model-server.ts";
import { replay } from "../../../../test/replay.ts";
import { createPdf } from "../../../../test/sample-files.ts";
import { tinyPictures } from "../../../../test/tiny-pictures.ts";

type Setup = {
  provider: string;
  model: string;
  /** the variables, where `URL` stands for the provider's origin */
  env: Record<string, string>;
  /** the file in `test/streams` with which the provider answers */
  answer: string;
};

const setups: Setup[] = [
  {
    provider: "anthropic",
    model: "anthropic/claude-sonnet-4-5",
    env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "URL" },
    answer: "anthropic.text",
  },
  {
    provider: "openai",
    model: "openai/gpt-4.1-mini",
    env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: "URL" },
    answer: "openai-responses.text",
  },
  {
    provider: "google",
    model: "google/gemini-3-pro-preview",
    env: { GOOGLE_GENERATIVE_AI_API_KEY: "k", GOOGLE_GENERATIVE_AI_BASE_URL: "URL" },
    answer: "google.text",
  },
  {
    provider: "mistral",
    model: "mistral/mistral-small-latest",
    env: { MISTRAL_API_KEY: "k", MISTRAL_BASE_URL: "URL" },
    answer: "mistral.text",
  },
  {
    provider: "ollama",
    model: "ollama/gemma3:12b",
    env: { OLLAMA_BASE_URL: "URL" },
    answer: "openai-compatible.text",
  },
  {
    provider: "chat-completions",
    model: "openai-compatible/gpt-4o",
    env: { OPENAI_COMPATIBLE_BASE_URL: "URL" },
    answer: "openai-chat.text",
  },
];

const attached = {
  picture: { name: "bike.png", content: tinyPictures["image/png"] },
  pdf: { name: "lock.pdf", content: createPdf([["The lock has the number 4711."]]) },
};

describe.each(setups)("the request to $provider", ({ provider, model, env, answer }) => {
  let test: ModelServer;
  beforeAll(async () => {
    test = await startModelServer((url) =>
      Object.fromEntries(Object.entries(env).map(([name, value]) => [name, value.replace("URL", url)])),
    );
  });
  afterAll(() => test.stop());

  it.each(["picture", "pdf"] as const)("has a visitor's %s in the provider's format", async (kind) => {
    const { server, upstream, owner, call, createAgent, ask } = test;
    upstream.script(replay(answer));
    const agentId = await createAgent(model);
    await call("PATCH", `/agents/${agentId}`, { attachments: { images: true, files: true } }, owner);
    const { name, content } = attached[kind];
    const upload = await server.app.inject({
      method: "POST",
      url: `/chat/attachments?agentId=${agentId}&sessionId=${kind}`,
      headers: { "content-type": "application/octet-stream", "x-filename": name },
      payload: content,
    });
    const attachments = [upload.json().data.id];
    const reply = await ask(agentId, "What is it?", { sessionId: kind, attachments });
    expect(reply.stop.stopReason).toBe("end_turn");
    // The server also lists the models of a self-hosted provider, without a body.
    const [exchange, ...others] = upstream.exchanges.filter(({ body }) => body !== "");
    expect(others).toEqual([]);
    const { method, url } = exchange?.request ?? {};
    expect({ method, url, body: JSON.parse(exchange?.body ?? "null") }).toEqual(readRequest(provider, kind));
  });
});

/** The request that the provider documents for a message with this attachment. */
function readRequest(provider: string, kind: keyof typeof attached): unknown {
  const file = new URL(`../../../../test/attached-requests/${provider}.${kind}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"));
}
