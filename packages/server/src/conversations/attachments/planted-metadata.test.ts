import { afterAll, beforeAll, expect, it } from "vitest";
import { openChat } from "../../../../../test/chat-client.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { type PlantedPicture, plantPictures } from "../../../../../test/planted-pictures.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { sayWords, startUpstream, type Upstream } from "../../../../../test/upstream.ts";

const pictures = plantPictures();

let upstream: Upstream;
let server: TestServer;
let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
let agentId: string;

beforeAll(async () => {
  upstream = await startUpstream(sayWords("A bike."));
  server = await startServer({
    listen: true,
    env: {
      OPENAI_COMPATIBLE_BASE_URL: `${upstream.url}/v1`,
      FOYER_DEFAULT_MODEL: "openai-compatible/test",
      FOYER_LIMIT_CHAT_PER_SESSION: "0",
      FOYER_LIMIT_ATTACHMENTS_PER_VISITOR: "0",
      FOYER_LIMIT_ATTACHMENTS_PER_IP: "0",
    },
  });
  owner = await server.createAccount();
  agentId = await createAgent(owner, { attachments: { images: true } });
});
afterAll(async () => {
  await server.stop();
  await upstream.stop();
});

async function upload({ name, type, bytes }: PlantedPicture) {
  const response = await server.app.inject({
    method: "POST",
    url: `/chat/attachments?agentId=${agentId}&sessionId=s1`,
    headers: { "content-type": type, "x-filename": name },
    payload: bytes,
  });
  expect(response.statusCode, `${name}: ${response.body}`).toBe(201);
  return response.json().data;
}

/** Sends the pictures with one message. @returns what the model received, and the pictures as members download them */
async function send(group: readonly PlantedPicture[]): Promise<{ sent: Buffer[]; stored: Buffer[] }> {
  const uploads = [];
  for (const picture of group) uploads.push(await upload(picture));
  expect(uploads.map(({ width, height }) => [width, height])).toEqual(
    group.map(({ width, height }) => [width, height]),
  );
  const stream = await openChat(server.url, {
    agentId,
    sessionId: "s1",
    messages: [{ role: "user", content: "What is it?" }],
    attachments: uploads.map(({ id }) => id),
  });
  await stream.ended;
  const [start] = stream.events;
  if (start?.type !== "message_start") throw new Error(`no start: ${JSON.stringify(start)}`);
  const stored = [];
  for (const { id } of uploads) {
    const url = `/conversations/${start.conversationId}/attachments/${id}`;
    stored.push((await server.app.inject({ method: "GET", url, headers: owner.headers })).rawPayload);
  }
  const request = upstream.exchanges.at(-1)?.body ?? "";
  const sent = [...request.matchAll(/data:image\/\w+;base64,([\w+/=]+)/g)].map(([, base64 = ""]) =>
    Buffer.from(base64, "base64"),
  );
  return { sent, stored };
}

it("200 pictures contain what is planted in them before they are uploaded", () => {
  expect(pictures).toHaveLength(200);
  for (const { name, bytes, planted } of pictures) {
    expect(planted.length, name).toBeGreaterThan(0);
    for (const secret of planted) expect(bytes.includes(secret), name).toBe(true);
  }
});

it("no byte of planted metadata is stored or sent to the model", { timeout: 120_000 }, async () => {
  const left: string[] = [];
  for (let at = 0; at < pictures.length; at += 4) {
    const group = pictures.slice(at, at + 4);
    const { sent, stored } = await send(group);
    expect([sent.length, stored.length]).toEqual([4, 4]);
    for (const [index, { name, planted }] of group.entries()) {
      const found = [stored[index], sent[index]].some((bytes) => planted.some((secret) => bytes?.includes(secret)));
      if (found) left.push(name);
    }
  }
  expect(left).toEqual([]);
});
