import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { toChain } from "../../../../../test/model-chain.ts";
import { findStrict, send } from "../../../../../test/providers/receivers.ts";
import { toColumns } from "../../conversations/message-pieces.ts";
import { createChatCompletionsModel } from "../../models/chat-completions.ts";
import { ModelError } from "../../models/model-error.ts";
import { createRunningReply } from "../running/running-reply.ts";
import { toPrompt } from "../turn/model-prompt.ts";
import { runAgentLoop } from "./agent-loop.ts";

const THOUGHT = "The margin is 30 %.\nNever say that.";
const ANSWER = "We open at 9, see </think> in our manual.";

/** A delta of a chat completion, in the words of its vendor. */
type Delta = { [member: string]: unknown };
/** `shown` is what the visitor reads, null for a reply of thoughts only. */
type Stream = { name: string; model: string; deltas: Delta[]; shown: string | null };

const text = (...content: string[]): Delta[] => content.map((one) => ({ content: one }));

const tags: Array<[vendor: string, model: string, opening: string, closing: string]> = [
  ["DeepSeek", "deepseek-r1", "<think>", "</think>"],
  ["Qwen", "qwen3-32b", "<Think>\n", "\n</THINK>"],
  ["Claude in a proxy", "claude-proxied", "<thinking>", "</thinking>"],
  ["Cogito", "cogito-v1", "<reasoning>", "</reasoning>"],
  ["Gemma", "gemma-3", "<thought>", "</thought>"],
  ["Magistral", "magistral-small", "[THINK]", "[/THINK]"],
  ["Kimi", "kimi-vl-thinking", "◁think▷", "◁/think▷"],
  ["Seed", "seed-oss-36b", "<seed:think>", "</seed:think>"],
  ["Command A", "command-a-reasoning", "<|START_THINKING|>", "<|END_THINKING|>"],
  ["gpt-oss", "gpt-oss-20b", "<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"],
];

const tagged = tags.flatMap(([vendor, model, opening, closing]): Stream[] => [
  { name: `${vendor}: a block`, model, deltas: text(`${opening}${THOUGHT}${closing}\n\n${ANSWER}`), shown: ANSWER },
  {
    name: `${vendor}: two blocks after white space`,
    model,
    deltas: text(`\n ${opening}${THOUGHT}${closing}\n${opening}${THOUGHT}`, `${closing}\n\n${ANSWER}`),
    shown: ANSWER,
  },
  { name: `${vendor}: a block that is left open`, model, deltas: text(`${opening}${THOUGHT}`), shown: null },
]);

/** The server's template swallowed the opening tag. */
const swallowed: Stream[] = [
  ["deepseek-r1", "</think>"],
  ["qwq-32b", "</think>"],
  ["glm-4.5", "</think>"],
  ["minimax-m1", "</thinking>"],
  ["magistral-small", "[/THINK]"],
].map(([model = "", closing = ""]) => ({
  name: `${model}: a closing tag alone`,
  model,
  deltas: text(`${THOUGHT}${closing}\n\n${ANSWER}`),
  shown: ANSWER,
}));

const fields: Stream[] = [
  ["DeepSeek", "deepseek-reasoner", [{ reasoning_content: THOUGHT, content: null }]],
  ["Groq", "openai/gpt-oss-120b", [{ reasoning: THOUGHT }]],
  ["GitHub", "gpt-5-proxied", [{ reasoning_text: THOUGHT }]],
  [
    "OpenRouter",
    "anthropic/claude",
    [{ reasoning: THOUGHT, reasoning_details: [{ type: "reasoning.text", text: THOUGHT, signature: "c2ln" }] }],
  ],
  ["OpenRouter, encrypted", "openai/o4", [{ reasoning_details: [{ type: "reasoning.encrypted", data: THOUGHT }] }]],
  ["Mistral", "magistral-medium", [{ content: [{ type: "thinking", thinking: [{ type: "text", text: THOUGHT }] }] }]],
  ["vLLM", "qwen3-8b", [{ reasoning_content: THOUGHT }, { reasoning: THOUGHT }]],
].flatMap(([vendor, model, deltas]): Stream[] => [
  {
    name: `${vendor}: a field`,
    model: model as string,
    deltas: [...(deltas as Delta[]), ...text(ANSWER)],
    shown: ANSWER,
  },
]);

const streams = [...tagged, ...swallowed, ...fields];

function toBytes(deltas: readonly Delta[]): Buffer {
  const events = deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
  const end = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
  return Buffer.from(
    `${[...events, end].map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`,
  );
}

let organizations = 0;

/** Runs a reply whose response arrives in two pieces. */
async function reply({ model }: Stream, bytes: Buffer, place: number) {
  const chat = createChatCompletionsModel({
    provider: "openai-compatible",
    modelId: model,
    url: "https://models.example/chat/completions",
    headers: {},
    send: async () => ({
      status: 200,
      headers: {},
      body: Readable.from([bytes.subarray(0, place), bytes.subarray(place)].filter(({ length }) => length > 0)),
    }),
  });
  const running = createRunningReply(
    { conversationId: "conv_1", messageId: "msg_1", conversationToken: null },
    { agentId: "agent_1", resumable: false, resumeWindow: 0 },
  );
  let seen = "";
  const write = (events: string) => {
    seen += events;
  };
  running.follow({ write, end: () => {} }, 0);
  const failure = await runAgentLoop(
    {
      // An organization of its own, so that nothing is remembered of the other replies.
      models: toChain(chat, `org_${++organizations}`),
      prompt: [{ role: "user", content: [{ type: "text", text: "When?" }] }],
      tools: [],
      temperature: null,
      maxSteps: 8,
      limits: { idleTimeout: 5_000, totalTimeout: 5_000 },
      find: () => undefined,
      runTool: async () => Promise.reject(new Error("no tools")),
      signal: running.signal,
    },
    running,
  ).catch((error: unknown) => error);
  const shown = [...seen.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g)]
    .map(([, one = ""]) => JSON.parse(one))
    .join("");
  return { seen, shown, failure, columns: toColumns(running.pieces) };
}

/** The next request to the same server. */
async function sendNext(columns: ReturnType<typeof toColumns>): Promise<string> {
  const row = { page: null, authorName: null, fallbackFrom: null, promptState: null };
  const { prompt } = toPrompt({ systemPrompt: null, modelId: "test/m" }, [
    { ...row, id: "1", role: "user", content: "When?", pieces: null, position: 0, createdAt: 0, model: null },
    { ...row, ...columns, id: "2", role: "assistant", position: 1, createdAt: 1, model: "test/m" },
    { ...row, id: "3", role: "user", content: "And?", pieces: null, position: 2, createdAt: 2, model: null },
  ]);
  return JSON.stringify(await send(findStrict("DeepSeek"), { prompt }));
}

describe("a model's thoughts", () => {
  it("are tested in at least 40 streams", () => {
    expect(streams.length).toBeGreaterThanOrEqual(40);
  });

  it.each(streams.map((stream) => [stream.name, stream] as const))(
    "are not seen, stored or sent back, wherever the stream is cut: %s",
    async (_, stream) => {
      const bytes = toBytes(stream.deltas);
      const stored = new Set<string>();
      for (let place = 0; place < bytes.length; place++) {
        const { seen, shown, failure, columns } = await reply(stream, bytes, place);
        expect(shown).toBe(stream.shown ?? "");
        expect(seen).not.toMatch(/margin|Never/);
        stored.add(JSON.stringify(columns));
        if (stream.shown === null) {
          expect(failure).toBeInstanceOf(ModelError);
          expect(((failure as ModelError).cause as Error).message).toContain("thoughts");
        }
      }
      expect(stored.size).toBe(1);
      for (const columns of stored) {
        expect(columns).not.toMatch(/margin|Never/);
        expect(await sendNext(JSON.parse(columns))).not.toMatch(/margin|Never/);
      }
    },
  );
});
