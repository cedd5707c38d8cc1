import { APICallError, type LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { askModel, refusesPictures } from "./ask-model.ts";
import type { CallbackModel } from "./chat-model.ts";
import { listFiles, toFilePart } from "./prompt-files.ts";

type Refusal = { status: number; message: string };
/** `rule` decides from the contents of the request's files whether the provider refuses it. */
type Provider = CallbackModel & { requests: string[][] };

let providers = 0;

function createProvider(rule: (contents: string[]) => Refusal | null): Provider {
  const requests: string[][] = [];
  return {
    provider: "test",
    modelId: `model-${++providers}`,
    requests,
    async streamTo({ prompt }, onPart) {
      const contents = listFiles(prompt).map(({ filename = "good" }) => filename);
      requests.push(contents);
      const refusal = rule(contents);
      if (refusal) {
        const { status: statusCode, message } = refusal;
        throw new APICallError({ message, statusCode, url: "", requestBodyValues: {}, isRetryable: statusCode >= 500 });
      }
      onPart({ type: "text-delta", id: "1", delta: "I see." });
      const none = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
      const usage = { inputTokens: none, outputTokens: { total: 1, text: 1, reasoning: 0 } };
      onPart({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
    },
  };
}

const picture = (content: string, mediaType = "image/png") =>
  toFilePart({
    id: `att_${content}`,
    name: content,
    mediaType,
    content: { size: 0, address: null, read: async function* () {} },
    text: `[text of ${content}]`,
    unsentText: "[busy]",
  });
const say = (...contents: string[]) => ({
  role: "user" as const,
  content: [
    { type: "text" as const, text: "Which one?" },
    ...contents.map((content) => picture(content, content.startsWith("pdf") ? "application/pdf" : "image/png")),
  ],
});

/** @returns whether the visitor was told that a picture was not seen */
async function ask(model: Provider, prompt: LanguageModelV4Prompt): Promise<boolean> {
  let isTold = false;
  await askModel(
    model,
    { prompt },
    {
      organizationId: "org_1",
      limits: { idleTimeout: 5_000, totalTimeout: 10_000 },
      signal: new AbortController().signal,
      sink: { begin() {}, part() {}, onUnseenPictures: () => (isTold = true) },
    },
  );
  return isTold;
}

const isSeen = (model: Provider) => !refusesPictures("org_1", { ...model, baseUrl: "" });

const sentences: Array<[string, Refusal]> = [
  [
    "Anthropic's size",
    { status: 400, message: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum" },
  ],
  ["Anthropic's damage", { status: 400, message: "Could not process image" }],
  ["OpenAI's format", { status: 400, message: "You uploaded an unsupported image. Please use ['png', 'jpeg']." }],
  ["OpenAI's content", { status: 400, message: "The image data you provided does not represent a valid image." }],
  ["Ollama's format", { status: 500, message: "Failed to load image or audio file: image: unknown format" }],
  ["a gateway's media type", { status: 400, message: "mime type is not supported by Gemini: 'image/gif'" }],
  ["a validator's words", { status: 422, message: "Unprocessable Entity" }],
  ["Google's words", { status: 400, message: "Request contains an invalid argument." }],
];

it.each(sentences)("leaves out only the picture that is refused with %s, and all later prompts", async (_, refusal) => {
  const model = createProvider((contents) => (contents.includes("bad") ? refusal : null));
  expect(await ask(model, [say("good 1"), say("bad", "good 2")])).toBe(true);
  expect(model.requests.at(-1)).toEqual(["good 1", "good 2"]);
  const before = model.requests.length;
  expect(await ask(model, [say("good 1"), say("bad", "good 2"), say()])).toBe(false);
  expect(model.requests.slice(before)).toEqual([["good 1", "good 2"]]);
  expect(isSeen(model)).toBe(true);
});

it.each([
  ["two of three", ["bad 1", "good", "bad 2"], ["good"]],
  ["all", ["bad 1", "bad 2"], []],
  ["two of four", ["bad 1", "good 1", "bad 2", "good 2"], ["good 1", "good 2"]],
])("answers when %s pictures are refused", async (_, contents, seen) => {
  const refusal = { status: 400, message: "Could not process image" };
  const model = createProvider((sent) => (sent.some((content) => content.startsWith("bad")) ? refusal : null));
  await ask(model, [say(...contents)]);
  expect(model.requests.at(-1)).toEqual(seen);
});

it("sends the newest pictures to a provider that accepts one in a request", async () => {
  const refusal = { status: 400, message: "At most 1 image(s) may be provided in one prompt." };
  const model = createProvider((contents) => (contents.length > 1 ? refusal : null));
  await ask(model, [say("first")]);
  await ask(model, [say("first"), say("second")]);
  expect(model.requests.at(-1)).toEqual(["second"]);
});

it.each([
  ["request is too large", { status: 413, message: "Request Entity Too Large" }],
  ["files are too many", { status: 400, message: "Too many images in the request." }],
])("leaves out the oldest files when the %s, and remembers none of them", async (_, refusal) => {
  const model = createProvider((contents) => (contents.length > 2 ? refusal : null));
  await ask(model, [say("first"), say("second"), say("third", "fourth")]);
  expect(model.requests.at(-1)).toEqual(["third", "fourth"]);
  await ask(model, [say("first"), say("second")]);
  expect(model.requests.at(-1)).toEqual(["first", "second"]);
});

it("remembers the newest of several files when it is too large alone", async () => {
  const refusal = { status: 413, message: "Request Entity Too Large" };
  const model = createProvider((contents) => (contents.includes("large") ? refusal : null));
  await ask(model, [say("small"), say("large")]);
  await ask(model, [say("small"), say("large")]);
  expect(model.requests).toEqual([["small", "large"], ["large"], [], ["small"]]);
});

it.each([
  ["an empty account", "Your credit balance is too low to access the API."],
  ["a retired model", "The model claude-2 has been retired."],
  ["a revoked key", "API key not valid. Please pass a valid API key."],
])("repeats a request that is refused for %s with no other files", async (_, message) => {
  const model = createProvider(() => ({ status: 400, message }));
  await expect(ask(model, [say("one", "two", "three", "four")])).rejects.toThrow("refused");
  expect(model.requests).toEqual([["one", "two", "three", "four"]]);
});

it("sends a PDF that is refused as its text, and the pictures beside it as they are", async () => {
  const refusal = { status: 400, message: "messages.0.content.1.document.source: The PDF specified was not valid." };
  const model = createProvider((contents) => (contents.includes("pdf") ? refusal : null));
  expect(await ask(model, [say("pdf", "bike")])).toBe(false);
  expect(model.requests.at(-1)).toEqual(["bike"]);
});

it("takes a model for blind only after it has refused a picture that is known to be good", async () => {
  const refusal = { status: 400, message: "This model does not support image input." };
  const model = createProvider((contents) => (contents.length > 0 ? refusal : null));
  expect(await ask(model, [say("bike")])).toBe(true);
  expect(model.requests).toEqual([["bike"], ["good"], []]);
  expect(isSeen(model)).toBe(false);
  await ask(model, [say("other")]);
  expect(model.requests.slice(3)).toEqual([[]]);
});

it("reports a refusal that leaving out the files does not remove, and remembers nothing", async () => {
  let isRefused = true;
  const model = createProvider(() => (isRefused ? { status: 400, message: "Could not process image" } : null));
  await expect(ask(model, [say("bike")])).rejects.toThrow("refused");
  isRefused = false;
  await ask(model, [say("bike")]);
  expect(model.requests.at(-1)).toEqual(["bike"]);
});

it("answers every other conversation with its picture after 10,000 refused files", async () => {
  const model = createProvider((contents) => {
    const bad = contents.find((content) => content.startsWith("bad"));
    return bad ? (sentences[Number(bad.slice(4)) % sentences.length]?.[1] ?? null) : null;
  });
  let affected = 0;
  for (let number = 0; number < 10_000; number++) {
    await ask(model, [say(`bad ${number}`)]);
    if (number % 10 > 0) continue;
    const isTold = await ask(model, [say(`bike ${number}`)]);
    if (isTold || model.requests.at(-1)?.[0] !== `bike ${number}`) affected += 1;
    model.requests.length = 0;
  }
  expect(affected).toBe(0);
});
