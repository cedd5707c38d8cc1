import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { readShapes, type Shape, toBytes } from "../../../../test/providers/read-shapes.ts";
import type { Outbound } from "../outbound/guarded-request.ts";
import { anthropic } from "./anthropic.ts";
import { askModel } from "./ask-model.ts";
import type { ChatModel, ModelPart } from "./chat-model.ts";
import { google } from "./google.ts";
import { mistral } from "./mistral.ts";
import { openai } from "./openai.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import type { Connection } from "./provider.ts";
import { describeFailure } from "./provider-failure.ts";

const packages = { anthropic, google, mistral, openai };
const shapes = readShapes();

describe.each(shapes)("$provider: $name", (shape) => {
  it("is read as a person would read it, wherever its bytes are cut", async () => {
    const bytes = toBytes(shape);
    const whole = await read(shape, [bytes]);
    expectMeaning(whole, shape);
    for (const pieces of listCuts(bytes, shape)) expect(await read(shape, pieces)).toEqual(whole);
  });
});

it("the shapes are at least 120", () => {
  expect(shapes.length).toBeGreaterThanOrEqual(120);
});

type Reading = {
  text: string;
  calls: Array<[string, unknown]>;
  error: string | null;
  finish: string | undefined;
  returns: unknown;
};

function expectMeaning({ text, calls, error, finish, returns }: Reading, shape: Shape) {
  expect(shape.trim ? text.trim() : text).toBe(shape.text);
  expect(calls).toEqual(shape.calls ?? []);
  if (shape.error) expect(error).toContain(shape.error);
  else expect(error).toBeNull();
  if (shape.finish) expect(finish).toBe(shape.finish);
  if (shape.returns) expect(returns).toEqual(shape.returns);
}

/**
 * The bytes cut once at each place, and into single bytes. The packages of providers take a thousand times as long, so
 * for them only every 97th place is cut.
 */
function* listCuts(bytes: Buffer, { format }: Shape): Generator<Buffer[]> {
  for (let place = 1; place < bytes.length; place += format ? 97 : 1) {
    yield [bytes.subarray(0, place), bytes.subarray(place)];
  }
  yield Array.from({ length: bytes.length }, (_, index) => bytes.subarray(index, index + 1));
}

let models = 0;

/** Reads the pieces as the reply to one request. Each is from a model that has sent nothing before. */
async function read(shape: Shape, pieces: Buffer[]): Promise<Reading> {
  const model = await connect(shape, pieces);
  const reading: Reading = { text: "", calls: [], error: null, finish: undefined, returns: undefined };
  const tools = shape.tools?.map((name) => ({ type: "function" as const, name, inputSchema: {} }));
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hello?" }] }];
  // There is no time to ask again after a temporary failure, because the first failure is what counts here.
  const limits = { idleTimeout: 30_000, totalTimeout: shape.error ? 400 : 30_000 };
  const { signal } = new AbortController();
  try {
    await askModel(
      model,
      { prompt, ...(tools && { tools }) },
      {
        organizationId: `org_${++models}`,
        limits,
        signal,
        sink: {
          begin: () => {},
          part: (part) => takePart(part, reading),
        },
      },
    );
  } catch (error) {
    reading.error = describeFailure(error, { ...model, source: null, isOperatorPaid: false }).message;
  }
  return reading;
}

function takePart(part: ModelPart, reading: Reading) {
  if (part.type === "text-delta") reading.text += part.delta;
  if (part.type === "finish") reading.finish = part.finishReason.unified;
  if (part.type !== "tool-call") return;
  reading.returns ??= part.providerMetadata?.chatCompletions;
  reading.calls.push([part.toolName, JSON.parse(part.input)]);
}

function connect({ format, model = "test", json }: Shape, pieces: Buffer[]): Promise<ChatModel> {
  const headers = { "content-type": json ? "application/json" : "text/event-stream" };
  const outbound = {
    stream: async () => ({ status: 200, headers, body: Readable.from(pieces, { objectMode: false }) }),
    fetch: () => async () =>
      new Response(Readable.toWeb(Readable.from(pieces)) as unknown as ReadableStream, { headers }),
  } as unknown as Outbound;
  const connection: Connection = {
    kind: "openai-compatible",
    apiKey: "k",
    baseUrl: "https://models.example/v1",
    server: {},
    trust: "operator",
    organizationId: null,
    outbound,
  };
  return (format ? packages[format] : openaiCompatible).connect(connection, model);
}
