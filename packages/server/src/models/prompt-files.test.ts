import { APICallError, type LanguageModelV4Prompt, type LanguageModelV4Usage } from "@ai-sdk/provider";
import { describe, expect, it, vi } from "vitest";
import { startModelServer } from "../../../../test/model-server.ts";
import { replay } from "../../../../test/replay.ts";
import { tinyPictures } from "../../../../test/tiny-pictures.ts";
import { createFairPool, type FairPool } from "../pools/fair-pool.ts";
import { askModel } from "./ask-model.ts";
import type { CallbackModel } from "./chat-model.ts";
import { findRequestFiles, toFilePart } from "./prompt-files.ts";

async function* inChunks(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const sample = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 37) % 256));

let prompts = 0;

function createPrompt(bytes: Buffer, { chunk = 256, size = bytes.length } = {}): LanguageModelV4Prompt {
  const part = toFilePart({
    id: `att_${++prompts}`,
    name: "a.png",
    mediaType: "image/png",
    content: { size, address: null, read: () => inChunks(bytes, chunk) },
    text: "[picture: a.png]",
    unsentText: "[picture: a.png (busy)]",
  });
  return [{ role: "user", content: [{ type: "text", text: "Grüße" }, part] }];
}

/** Fills a body that has the prompt's placeholder within other text. */
function fill(prompt: LanguageModelV4Prompt) {
  const files = findRequestFiles(prompt);
  if (!files) throw new Error("The prompt has no files.");
  return { files, body: files.fill(JSON.stringify(prompt)) };
}

describe("the files of a request", () => {
  it.each([1, 2, 3, 4, 5, 256, 998, 999, 1_000, 2_000])(
    "are sent as the Base64 of the whole file when it is read in pieces of %i bytes",
    async (chunk) => {
      const { body } = fill(createPrompt(sample, { chunk }));
      const sent = Buffer.concat(await Array.fromAsync(body.read())).toString();
      expect(JSON.parse(sent)[0].content[1].data.data).toBe(sample.toString("base64"));
    },
  );

  it.each([0, 1, 2, 3, 1_000])("have the size that is announced, for a file of %i bytes", async (length) => {
    const { body } = fill(createPrompt(sample.subarray(0, length)));
    expect(Buffer.concat(await Array.fromAsync(body.read()))).toHaveLength(body.bytes);
  });

  it("release their room as soon as they have been read, before there is an answer", async () => {
    const { files, body } = fill(createPrompt(sample));
    let isReleased = false;
    files.onRelease(() => {
      isReleased = true;
    });
    const states: boolean[] = [];
    for await (const _ of body.read()) states.push(isReleased);
    expect(states).not.toContain(true);
    expect(isReleased).toBe(true);
  });

  it("are missing when the file was deleted while it was read", async () => {
    const { files, body } = fill(createPrompt(sample, { size: 2_000 }));
    await expect(Array.fromAsync(body.read())).rejects.toThrow("deleted");
    expect(files.missing?.filename).toBe("a.png");
  });
});

describe("the pictures of a message", () => {
  const scenario = async (env: Record<string, string>, headers: Record<string, string> = {}) => {
    const test = await startModelServer((url) => ({
      OPENAI_COMPATIBLE_BASE_URL: url,
      BASE_URL: "https://foyer.example",
      ...env,
    }));
    const { server, upstream, owner, call, createAgent } = test;
    upstream.script(replay("openai-chat.text"));
    const agentId = await createAgent("openai-compatible/gpt-4o");
    await call("PATCH", `/agents/${agentId}`, { attachments: { images: true } }, owner);
    const send = async (sessionId: string, more: object = {}) => {
      const upload = await server.app.inject({
        method: "POST",
        url: `/chat/attachments?agentId=${agentId}&sessionId=${sessionId}`,
        headers: { "content-type": "application/octet-stream", "x-filename": "bike.png", ...headers },
        payload: tinyPictures["image/png"],
      });
      return test.ask(agentId, "What is it?", { sessionId, attachments: [upload.json().data.id], ...more });
    };
    return { ...test, send };
  };

  it("are named with a reason once the sender's address has used its bytes of this minute", async () => {
    const { send, sent, stop } = await scenario({ FOYER_LIMIT_MODEL_FILE_BYTES_PER_IP: "1024" });
    await send("first");
    await send("second");
    const [first, second] = sent().map(({ messages }) => JSON.stringify(messages));
    await stop();
    expect(first).toContain("data:image/png;base64,");
    expect(second).toContain("[picture: bike.png (you cannot see it, because too many pictures");
    expect(second).not.toContain("base64");
  });
});

const usage: LanguageModelV4Usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

describe("a request with pictures", () => {
  /** Calls a model whose server has this pool for pictures. @returns the prompts that reached it */
  async function ask(
    fileRoom: FairPool,
    {
      isRead,
      prompt = createPrompt(sample),
      signal = new AbortController().signal,
      onRequest,
    }: { isRead: boolean; prompt?: LanguageModelV4Prompt; signal?: AbortSignal; onRequest?: () => void },
  ): Promise<LanguageModelV4Prompt[]> {
    const prompts: LanguageModelV4Prompt[] = [];
    const model: CallbackModel = {
      provider: "ollama",
      modelId: "small",
      async streamTo({ prompt: received, files }, onPart) {
        prompts.push(received);
        onRequest?.();
        if (isRead && files) await Array.fromAsync(files.fill(JSON.stringify(received)).read());
        onPart({ type: "text-delta", id: "1", delta: "A bike." });
        onPart({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
      },
    };
    await askModel(
      { ...model, fileRoom },
      { prompt },
      {
        organizationId: "org",
        limits: { idleTimeout: 10_000, totalTimeout: 10_000 },
        signal,
        sink: { begin() {}, part() {} },
      },
    );
    return prompts;
  }

  it("is sent with the names in their place, and the reason, when the pool has no room", async () => {
    const fileRoom = createFairPool({ size: 2, maxPerOwner: 2, freeFactor: 2 });
    fileRoom.enter({ owner: "other", weight: 2 });
    const [prompt] = await ask(fileRoom, { isRead: true });
    expect(findRequestFiles(prompt ?? [])).toBeNull();
    expect(JSON.stringify(prompt)).toContain("[picture: a.png (busy)]");
  });

  it("frees room that it was given in the turn in which the reply was stopped", async () => {
    const fileRoom = createFairPool({ size: 2, maxPerOwner: 2, freeFactor: 2, maxWaitingPerOwner: 1 });
    const release = fileRoom.enter({ owner: "other", weight: 2 });
    const stop = new AbortController();
    const asked = ask(fileRoom, { isRead: true, signal: stop.signal });
    await vi.waitFor(() => expect(fileRoom.stats().waiting).toBe(1));
    release();
    stop.abort();
    await expect(asked).rejects.toThrow("aborted");
    expect(fileRoom.inUse()).toBe(0);
  });

  it("marks no picture as refused when it was sent without its pictures", async () => {
    const fileRoom = createFairPool({ size: 2, maxPerOwner: 2, freeFactor: 2 });
    const release = fileRoom.enter({ owner: "other", weight: 2 });
    const prompt = createPrompt(sample);
    let isRefused = false;
    const refuseFirst = () => {
      release();
      if (isRefused) return;
      isRefused = true;
      throw new APICallError({ message: "Bad request", statusCode: 400, url: "", requestBodyValues: {} });
    };
    await expect(ask(fileRoom, { isRead: true, prompt, onRequest: refuseFirst })).rejects.toThrow("refused");
    const [sent] = await ask(fileRoom, { isRead: true, prompt });
    expect(findRequestFiles(sent ?? [])).not.toBeNull();
  });

  it("is repeated with its other pictures, and the reason, when one was deleted while it was sent", async () => {
    const prompt = [...createPrompt(sample, { size: 2_000 }), ...createPrompt(sample)];
    const prompts = await ask(createFairPool({ size: 4, maxPerOwner: 4 }), { isRead: true, prompt });
    expect(JSON.stringify(prompts.at(-1)?.[0])).toContain("[picture: a.png (it has been deleted)]");
    expect(findRequestFiles(prompts.at(-1)?.slice(1) ?? [])).not.toBeNull();
  });

  it.each([true, false])("frees its room, whether the model's server read the request (%s) or not", async (isRead) => {
    const fileRoom = createFairPool({ size: 4, maxPerOwner: 4 });
    await ask(fileRoom, { isRead });
    expect(fileRoom.inUse()).toBe(0);
  });
});
