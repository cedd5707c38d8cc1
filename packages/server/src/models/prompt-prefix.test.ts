import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toChain } from "../../../../test/model-chain.ts";
import "../../../../test/property-seed.ts";
import { findStrict, type Strict, send, strictNames } from "../../../../test/providers/receivers.ts";
import { runAgentLoop } from "../chat/loop/agent-loop.ts";
import { createRunningReply } from "../chat/running/running-reply.ts";
import { toPrompt } from "../chat/turn/model-prompt.ts";
import type { Note } from "../chat/turn/prompt-notes.ts";
import type { HistoryRow } from "../conversations/log/queries.ts";
import { toColumns } from "../conversations/message-pieces.ts";
import { failure, type ToolOutcome } from "../tools/tool-outcome.ts";
import type { CallbackModel, ModelPart } from "./chat-model.ts";

const MODEL = "test/model";
const limits = { idleTimeout: 5_000, totalTimeout: 5_000 };
const kinds = { bike_stock: "http", open_map: "client", search_documents: "documents", request_human: "handoff" };
type ToolName = keyof typeof kinds;
const tools = (Object.keys(kinds) as ToolName[]).map((name) => ({
  type: "function" as const,
  name,
  description: `What ${name} does`,
  inputSchema: { type: "object" as const, properties: { bike: { type: "string" as const } } },
}));

type Step = { text: string; calls: Array<{ name: ToolName; bike: string; isError: boolean }> };
type Turn = { question: string; page: string | null; form: string | null; visitor: string; steps: Step[] };

const words = fc.constantFrom("Hello.", "How much is the cargo bike?", "It costs 900 €.", 'größe "x"\n<b>', "👍");
const step = fc.record({
  text: fc.oneof(words, fc.constant("")),
  calls: fc.array(
    fc.record({ name: fc.constantFrom(...(Object.keys(kinds) as ToolName[])), bike: words, isError: fc.boolean() }),
    { minLength: 1, maxLength: 3 },
  ),
});
const turn: fc.Arbitrary<Turn> = fc.record({
  question: words,
  page: fc.option(fc.constantFrom("/", "/bikes")),
  form: fc.option(words),
  visitor: fc.constantFrom("plan: free", "plan: pro"),
  steps: fc.array(step, { maxLength: 3 }),
});

/** A model that plays the steps, and then answers. `requests` receives what it is asked. */
function createPlayer(
  { createId }: Strict,
  steps: readonly Step[],
  requests: LanguageModelV4CallOptions[],
): CallbackModel {
  let next = 0;
  return {
    provider: "test",
    modelId: "model",
    async streamTo(call, onPart) {
      requests.push(structuredClone({ prompt: call.prompt, tools: call.tools }) as LanguageModelV4CallOptions);
      const current = steps[next++] ?? { text: "That is all.", calls: [] };
      for (const part of toParts(current, createId)) onPart(part);
    },
  };
}

function toParts({ text, calls }: Step, createId: Strict["createId"]): ModelPart[] {
  const texts: ModelPart[] =
    text === ""
      ? []
      : [
          { type: "text-start", id: "1" },
          { type: "text-delta", id: "1", delta: text },
          { type: "text-end", id: "1" },
        ];
  return [
    ...texts,
    ...calls.map(
      ({ name, bike }, index): ModelPart => ({
        type: "tool-call",
        toolCallId: createId(index, name),
        toolName: name,
        input: JSON.stringify({ bike }),
      }),
    ),
    {
      type: "finish",
      usage: { inputTokens: {}, outputTokens: {} } as never,
      finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
    },
  ];
}

/** Runs the turns one after another as the chat does. @returns for each turn, the bodies that the provider received */
async function converse(receiver: Strict, turns: readonly Turn[]): Promise<Array<Record<string, unknown>[]>> {
  const history: HistoryRow[] = [];
  const notes: Note[] = [];
  const all: Array<Record<string, unknown>[]> = [];
  for (const [index, { question, page, form, visitor, steps }] of turns.entries()) {
    const createdAt = index * 10;
    const row = { pieces: null, createdAt, authorName: null, model: null, fallbackFrom: null, promptState: null };
    const pageColumn = page && JSON.stringify({ url: page, title: null, language: null, context: null });
    history.push({ ...row, id: `u${index}`, role: "user", content: question, page: pageColumn, position: 2 * index });
    if (form !== null) notes.push({ id: `form${index}`, createdAt: createdAt - 1, text: form, isReference: true });
    const visitorNote = { id: "visitor", createdAt: Number.POSITIVE_INFINITY, text: visitor };
    const { prompt, state } = toPrompt(
      { systemPrompt: "You sell bikes.", reference: "Docs.", modelId: MODEL },
      history,
      [...notes, visitorNote],
    );
    const requests: LanguageModelV4CallOptions[] = [];
    const reply = createRunningReply(
      { conversationId: "conv_1", messageId: `msg_${index}`, conversationToken: null },
      { agentId: "agent_1", resumable: false, resumeWindow: 0 },
    );
    const errors = new Map(steps.flatMap(({ calls }) => calls.map((call) => [call.bike, call.isError] as const)));
    await runAgentLoop(
      {
        models: toChain(createPlayer(receiver, steps, requests)),
        prompt,
        tools,
        temperature: null,
        maxSteps: 8,
        limits,
        find: (name) => ({
          id: null,
          label: null,
          executionType: kinds[name as ToolName],
          ...(name === "request_human" ? { shownInput: () => ({ reason: null }) } : {}),
        }),
        runTool: async ({ name, input }) => run(name, input, errors),
        signal: reply.signal,
      },
      reply,
    );
    all.push(await Promise.all(requests.map((request) => send(receiver, request))));
    const columns = { page: null, model: MODEL, promptState: JSON.stringify(state), position: 2 * index + 1 };
    history.push({ ...row, ...toColumns(reply.pieces), ...columns, id: `a${index}`, role: "assistant" });
  }
  return all;
}

function run(name: string, input: unknown, errors: ReadonlyMap<string, boolean>): ToolOutcome {
  const { bike } = input as { bike: string };
  if (errors.get(bike)) return failure("Not now.");
  const passage = { n: 1, title: "Bikes", url: null, page: null, snippet: bike, citation: "title" as const };
  const outcome = { result: null, isError: false, displayConfig: null, display: null, forModel: `About ${bike}` };
  return name === "search_documents" ? { ...outcome, passages: [passage] } : outcome;
}

/** The bytes of the messages, without the mark of their end. Anthropic's markers are no part of what is cached. */
function startOf(body: Record<string, unknown>): string {
  const messages = JSON.stringify(body.messages ?? body.input ?? body.contents);
  return messages.replaceAll(',"cache_control":{"type":"ephemeral"}', "").slice(0, -1);
}

const fixedParts = ({ system, systemInstruction, tools }: Record<string, unknown>) =>
  JSON.stringify([system, systemInstruction, tools]);

describe("the requests of a conversation", () => {
  it.each(strictNames)("begin with the bytes of all earlier requests to %s", async (name) => {
    const receiver = findStrict(name);
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 5 }), async (turns) => {
        const bodies = (await converse(receiver, turns)).flat();
        for (const [index, body] of bodies.entries()) {
          const before = bodies[index - 1] ?? body;
          expect(startOf(body).startsWith(startOf(before))).toBe(true);
          expect(fixedParts(body)).toBe(fixedParts(before));
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe("the start of a long conversation", () => {
  /** The history before the n-th turn, whose replies have stored where their prompts began. */
  function grow(turns: number, characters: number): number[] {
    const history: HistoryRow[] = [];
    const starts: number[] = [];
    for (let index = 0; index < turns; index++) {
      const row = { pieces: null, page: null, createdAt: index, authorName: null, fallbackFrom: null };
      const content = `${index} `.padEnd(characters, "x");
      const user = { ...row, id: `u${index}`, role: "user" as const, content, position: 2 * index };
      history.push({ ...user, model: null, promptState: null });
      const { state } = toPrompt({ systemPrompt: null, modelId: MODEL }, history.slice(-201));
      starts.push(state.start);
      const reply = { ...row, id: `a${index}`, role: "assistant" as const, content, position: 2 * index + 1 };
      history.push({ ...reply, model: MODEL, promptState: JSON.stringify(state) });
    }
    return starts;
  }

  it.each([
    ["more messages than are read", 400, 20],
    ["more characters than are sent", 100, 10_000],
  ])("moves seldom when it has %s", (_, turns, characters) => {
    const starts = grow(turns, characters);
    expect(starts.at(-1)).toBeGreaterThan(0);
    expect(new Set(starts).size).toBeLessThan(turns / 8);
  });

  it("is the beginning of the conversation as long as everything fits", () => {
    expect(grow(90, 1_000).at(-1)).toBe(0);
  });
});
