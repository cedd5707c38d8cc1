import { readdirSync } from "node:fs";
import type { ChatEvent } from "@foyer/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ModelServer, startModelServer } from "../../../test/model-server.ts";
import { replay } from "../../../test/replay.ts";
import { createReplyState, foldReply, type ReplyPart, type ReplyState, toParts } from "./reply.ts";
import { createSseParser, type ServerEvent } from "./sse-parser.ts";

/** The model whose provider has the format of a recorded stream, by the first part of the file's name. */
const models: Record<string, string> = {
  anthropic: "anthropic/claude-sonnet-4-5",
  google: "google/gemini-3-pro-preview",
  mistral: "mistral/mistral-small-latest",
  "openai-chat": "openai-compatible/grok-3-mini",
  "openai-compatible": "openai-compatible/grok-3-mini",
  "openai-responses": "openai/gpt-4.1-mini",
};
const recordings = readdirSync(new URL("../../../test/streams", import.meta.url))
  .filter((file) => file.endsWith(".jsonl"))
  .map((file) => file.replace(".jsonl", ""));

let test: ModelServer;
beforeAll(async () => {
  test = await startModelServer((url) => ({
    ANTHROPIC_API_KEY: "sk-ant-1",
    ANTHROPIC_BASE_URL: url,
    GOOGLE_GENERATIVE_AI_API_KEY: "AIza1",
    GOOGLE_GENERATIVE_AI_BASE_URL: url,
    MISTRAL_API_KEY: "m-1",
    MISTRAL_BASE_URL: url,
    OPENAI_API_KEY: "sk-1",
    OPENAI_BASE_URL: url,
    OPENAI_COMPATIBLE_API_KEY: "c-1",
    OPENAI_COMPATIBLE_BASE_URL: url,
  }));
});
afterAll(() => test.stop());

const fold = (events: readonly ServerEvent[], from = createReplyState()) =>
  events.map(({ data }): ChatEvent => JSON.parse(data)).reduce(foldReply, from);

/** The server does not store which error ended a reply, so a reply that is read again has a general one. */
const toComparable = (state: ReplyState) => ({ ...state, error: state.error !== null });

/** A stored message does not tell where one text block ends and the next begins, unless a call is between them. */
function joinTexts(parts: readonly ReplyPart[]): ReplyPart[] {
  const joined: ReplyPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === "text" && last?.type === "text") {
      joined[joined.length - 1] = { type: "text", text: last.text + part.text };
    } else joined.push(part);
  }
  return joined;
}

describe.each(recordings)("a reply to the recorded stream %s", (name) => {
  it("folds to the stored reply, wherever its connection is cut", async () => {
    const format = name.split(".")[0] ?? "";
    const agentId = await test.createAgent(models[format] ?? "");
    await test.addTool(agentId, "bike_stock", '{"bikes":4}', { type: "object", properties: {} });
    let calls = 0;
    // Calls of tools are followed by a text.
    test.upstream.script((exchange) => replay(calls++ === 0 ? name : `${format}.text`)(exchange));
    const response = await fetch(`${test.server.url}/chat`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ agentId, messages: [{ role: "user", content: "How many bikes?" }] }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const all = createSseParser()(new TextDecoder().decode(bytes));
    const whole = fold(all);
    const start = all.map(({ data }): ChatEvent => JSON.parse(data)).find(({ type }) => type === "message_start");
    if (start?.type !== "message_start") throw new Error("The reply has not started.");

    const continuations = new Map<string, Promise<ServerEvent[]>>();
    /** The events that the server sends to a client which has received the event `lastEventId`. */
    const continueAfter = (lastEventId: string) => {
      const known = continuations.get(lastEventId);
      if (known) return known;
      const events = fetch(`${test.server.url}/chat/${start.conversationId}/stream`, {
        headers: { ...test.owner.headers, ...(lastEventId ? { "last-event-id": lastEventId } : {}) },
      }).then(async (resumed) => createSseParser()(await resumed.text()));
      continuations.set(lastEventId, events);
      return events;
    };
    for (let cut = 0; cut <= bytes.length; cut++) {
      const received = createSseParser()(new TextDecoder().decode(bytes.subarray(0, cut), { stream: true }));
      const rest = await continueAfter(received.at(-1)?.id ?? "");
      expect(toComparable(fold(rest, fold(received))), `cut after ${cut} bytes`).toEqual(toComparable(whole));
    }
    expect(joinTexts(whole.parts)).toEqual(toParts(await test.storedReply(start.conversationId)));
  });
});
