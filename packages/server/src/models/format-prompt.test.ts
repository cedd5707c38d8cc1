import type { JSONSchema7, LanguageModelV4FunctionTool, LanguageModelV4Message } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import "../../../../test/property-seed.ts";
import { findStrict, type Strict, send, strictNames } from "../../../../test/providers/receivers.ts";
import { toPrompt } from "../chat/turn/model-prompt.ts";
import type { HistoryRow } from "../conversations/log/queries.ts";
import { type Piece, toColumns } from "../conversations/message-pieces.ts";

const tool = (name: string, inputSchema: object, description = `What ${name} does`): LanguageModelV4FunctionTool => ({
  type: "function",
  name,
  description,
  inputSchema: inputSchema as JSONSchema7,
});
const stock = tool("bike_stock", { type: "object", properties: { bike: { type: "string" } } });

const toRows = (
  turns: ReadonlyArray<Pick<HistoryRow, "role"> & { pieces: Piece[]; authorName?: string | null }>,
  model: string,
): HistoryRow[] =>
  turns.map(({ role, pieces, authorName = null }, position) => ({
    ...toColumns(pieces),
    id: `m${position}`,
    role,
    page: null,
    position,
    createdAt: position,
    authorName,
    model: role === "assistant" && authorName === null ? model : null,
    fallbackFrom: null,
    promptState: null,
  }));

const text = fc.oneof(
  fc.constantFrom("Hello.", "", " ", "\n\n", "\u00a0\u2003", "\u200b", "\ud83d", "x".repeat(2_000)),
  fc.string({ unit: "binary" }),
);
const input = fc.oneof(
  fc.constantFrom<unknown>({ bike: "cargo" }, {}, null, "cargo", 7, ["cargo"], { bike: "\ud83d" }),
  fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
);
const toolName = fc.constantFrom(
  "bike_stock",
  "search_documents",
  "functions.bike_stock",
  "bike stock!",
  "",
  "größe",
  "n".repeat(200),
  "1st",
);
const outcome = fc.record({ isError: fc.boolean(), forModel: text });

/** One reply: texts and calls in any order. Calls without a text between them are one step. A result can be missing. */
const replyOf = ({ createId }: Strict) =>
  fc
    .array(
      fc.oneof(
        fc.record({ type: fc.constant("text" as const), text }),
        fc.record({ type: fc.constant("call" as const), name: toolName, input, result: fc.option(outcome) }),
      ),
      { maxLength: 6 },
    )
    .chain((parts) => fc.nat(20).map((first) => ({ parts, first })))
    .map(({ parts, first }) =>
      parts.map((part, index): Piece => {
        if (part.type === "text") return part;
        const { name, result } = part;
        const piece = {
          type: "tool" as const,
          id: createId(first + index, name),
          name,
          toolId: null,
          executionType: null,
          input: part.input,
        };
        const shown = { result: null, displayConfig: null, display: null };
        return result ? { ...piece, result: { ...shown, ...result } } : piece;
      }),
    );

const conversationWith = (provider: Strict) =>
  fc.array(
    fc.oneof(
      {
        weight: 2,
        arbitrary: text.map((one) => ({ role: "user" as const, pieces: [{ type: "text" as const, text: one }] })),
      },
      { weight: 2, arbitrary: replyOf(provider).map((pieces) => ({ role: "assistant" as const, pieces })) },
      {
        weight: 1,
        arbitrary: text.map((one) => ({
          role: "assistant" as const,
          authorName: "Ada [x]",
          pieces: [{ type: "text" as const, text: one }],
        })),
      },
    ),
    { maxLength: 8 },
  );

/** The step of a reply that B itself has begun after the conversation. */
function ownStep({ createId }: Strict): LanguageModelV4Message[] {
  const toolCallId = createId(40, "bike_stock");
  const call = { type: "tool-call" as const, toolCallId, toolName: "bike_stock", input: { bike: "cargo" } };
  const output = { type: "text" as const, value: "12" };
  return [
    { role: "assistant", content: [{ type: "text", text: "\n\n" }, call] },
    { role: "tool", content: [{ type: "tool-result", toolCallId, toolName: "bike_stock", output }] },
  ];
}

const pairs = strictNames.flatMap((from) => strictNames.map((to) => [from, to] as const));

describe("a conversation whose agent changes its model", () => {
  it.each(pairs)("continues after a change from %s to %s", async (from, to) => {
    const receiver = findStrict(to);
    const sent = fc.record({
      turns: conversationWith(findStrict(from)),
      systemPrompt: fc.option(text),
      notes: fc.array(
        text.map((one) => ({ createdAt: 1, text: one })),
        { maxLength: 2 },
      ),
      hasTools: fc.boolean(),
      isInReply: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(sent, async ({ turns, systemPrompt, notes, hasTools, isInReply }) => {
        const hello = { role: "user" as const, pieces: [{ type: "text" as const, text: "Hello?" }] };
        const history = toRows(isInReply ? [...turns, hello] : turns, from);
        const prompt = [
          ...toPrompt({ systemPrompt, modelId: to }, history, notes).prompt,
          ...(isInReply ? ownStep(receiver) : []),
        ];
        const refusal = receiver.refuse(
          await send(receiver, { prompt, ...(hasTools || isInReply ? { tools: [stock] } : {}) }),
        );
        expect(refusal).toBeNull();
      }),
      { numRuns: 40 },
    );
  });

  it("keeps the ids that the provider sent during the running reply", async () => {
    const receiver = findStrict("DeepSeek");
    const prompt: LanguageModelV4Message[] = [
      { role: "user", content: [{ type: "text", text: "How many?" }] },
      ...ownStep(receiver),
    ];
    const { messages } = await send(receiver, { prompt, tools: [stock] });
    expect((messages as Array<{ tool_calls?: unknown }>)[1]?.tool_calls).toMatchObject([
      { id: receiver.createId(40, "bike_stock") },
    ]);
  });

  it("leaves out thoughts that a model of Mistral wrote into its text before a call", async () => {
    const receiver = findStrict("Mistral by chat completions");
    const [assistant, result] = ownStep(receiver) as [LanguageModelV4Message & { role: "assistant" }, never];
    const providerOptions = { chatCompletions: { isText: true } };
    const thoughts = { type: "reasoning" as const, text: "[THINK]Look it up.[/THINK]", providerOptions };
    const prompt: LanguageModelV4Message[] = [
      { role: "user", content: [{ type: "text", text: "How many?" }] },
      { ...assistant, content: [thoughts, ...assistant.content] },
      result,
    ];
    expect(receiver.refuse(await send(receiver, { prompt, tools: [stock] }))).toBeNull();
  });

  it("moves a tool's description that is too long into the instructions", async () => {
    const description = "x".repeat(4_000);
    const prompt: LanguageModelV4Message[] = [{ role: "user", content: [{ type: "text", text: "Hello?" }] }];
    const body = await send(findStrict("OpenAI's chat completions"), {
      prompt,
      tools: [tool("find", { type: "object" }, description)],
    });
    expect((body as { messages: Array<{ content: string }> }).messages[0]?.content).toBe(
      `# The tool find\n\n${description}`,
    );
  });
});

const scalarKeywords = {
  type: fc.constantFrom<unknown>(
    "string",
    "number",
    "integer",
    "boolean",
    "array",
    "object",
    ["string", "null"],
    ["number", "string"],
  ),
  description: fc.constant("What it is"),
  enum: fc.constantFrom<unknown[]>(["a", "b"], ["", "a"], [1, 2], ["a", 1, true, null]),
  const: fc.constantFrom<unknown>("a", 1, null),
  format: fc.constantFrom("date-time", "email", "uri", "int32"),
  pattern: fc.constant("^a"),
  minLength: fc.nat(3),
  minimum: fc.integer(),
  exclusiveMinimum: fc.integer(),
  uniqueItems: fc.boolean(),
  required: fc.constantFrom(["a"], ["a", "b"]),
  default: fc.constant("a"),
  $schema: fc.constant("https://json-schema.org/draft/2020-12/schema"),
};

/** A schema as an owner can write it, with every keyword and without regard to any provider. */
function schemaOf(depth: number): fc.Arbitrary<object> {
  if (depth === 0) return fc.record(scalarKeywords, { requiredKeys: [] });
  const inner = schemaOf(depth - 1);
  const nested = {
    items: fc.oneof(fc.boolean(), inner, fc.array(inner, { maxLength: 2 })),
    properties: fc.dictionary(fc.constantFrom("a", "b", "enum", "größe", "page url", "$ref"), inner, { maxKeys: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), inner),
    anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
    oneOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
    allOf: fc.array(inner, { minLength: 1, maxLength: 2 }),
    not: inner,
    if: inner,
  };
  return fc.record({ ...scalarKeywords, ...nested }, { requiredKeys: [] });
}

describe("a tool's input schema", () => {
  it.each(strictNames)("is accepted by %s", async (name) => {
    const receiver = findStrict(name);
    const prompt: LanguageModelV4Message[] = [{ role: "user", content: [{ type: "text", text: "Hello?" }] }];
    await fc.assert(
      fc.asyncProperty(schemaOf(2), fc.string({ maxLength: 4_000 }), async (inputSchema, description) => {
        const tools = [tool("find", { ...inputSchema, type: "object" }, description)];
        expect(receiver.refuse(await send(receiver, { prompt, tools }))).toBeNull();
      }),
      { numRuns: 60 },
    );
  });
});
