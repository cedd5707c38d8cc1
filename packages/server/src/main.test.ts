import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { chat, textOf } from "../../../test/chat-client.ts";
import { runCommand, startProcess, temporaryFolder } from "../../../test/process.ts";
import { chunk, eventStream, startUpstream, type Upstream } from "../../../test/upstream.ts";

const key = "key-of-the-tests-long-enough";
const admin = {
  FOYER_ADMIN_EMAIL: "ada@example.com",
  FOYER_ADMIN_PASSWORD: "correct horse battery",
  FOYER_ADMIN_API_KEY: key,
};

let folder: ReturnType<typeof temporaryFolder>;
let upstream: Upstream;
beforeEach(async () => {
  folder = temporaryFolder();
  upstream = await startUpstream();
});
afterEach(async () => {
  await upstream.stop();
  folder.remove();
});

const start = (env: Record<string, string> = {}) => startProcess({ FOYER_DATA_DIR: join(folder.path, "data"), ...env });
const withModel = () => ({
  ...admin,
  OPENAI_COMPATIBLE_BASE_URL: upstream.url,
  FOYER_DEFAULT_MODEL: "openai-compatible/test",
});

async function makeAgent(url: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${url}/agents`, { method: "POST", headers, body: JSON.stringify({ name: "Harbour" }) });
  return (await response.json()).data.id;
}
const say = (url: string, agentId: string) => chat(url, { agentId, messages: [{ role: "user", content: "Hello" }] });

it("the server starts in an empty directory, prints three lines, and stops on a signal", async () => {
  const server = await start();
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  server.kill("SIGTERM");
  const { code, stdout, stderr } = await server.exited;
  expect(code).toBe(0);
  expect(stderr).toBe("");
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  expect(lines).toEqual([
    expect.stringMatching(/^Foyer {3}http:\/\/localhost:\d+$/),
    expect.stringMatching(/^Model {3}foyer\/demo /),
    expect.stringMatching(/^Set up {2}http:\/\/localhost:\d+\/dashboard\/setup\?token=\S{43}$/),
  ]);
  const data = join(folder.path, "data");
  expect(readdirSync(data)).toContain("foyer.sqlite");
  expect(statSync(join(data, "secret")).mode & 0o777).toBe(0o600);
});

it("the server creates the owner and key named by the environment, idempotently", async () => {
  for (let run = 0; run < 2; run++) {
    const server = await start(admin);
    expect(server.output.stdout).not.toContain("Set up");
    expect((await fetch(`${server.url}/agents`, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    server.kill("SIGTERM");
    expect((await server.exited).code).toBe(0);
  }
  const { stdout } = await runCommand(["keys", "list", "--email", "ada@example.com"], {
    FOYER_DATA_DIR: join(folder.path, "data"),
  });
  expect(stdout.trim().split("\n")).toHaveLength(1);
});

it("the server uses the port chosen for PORT=0 in every URL", async () => {
  const server = await start({ PORT: "0" });
  const { servers } = await (await fetch(`${server.url}/openapi.json`)).json();
  expect(servers).toEqual([{ url: `http://localhost:${new URL(server.url).port}` }]);
  server.kill("SIGTERM");
  expect((await server.exited).code).toBe(0);
});

it("the server explains an invalid configuration and does not start", async () => {
  await expect(start({ PORT: "abc" })).rejects.toThrow(/exit 1: The configuration is invalid.\n {2}PORT: expected/);
});

it("the server names a port that is already in use", async () => {
  const port = new URL(upstream.url).port;
  await expect(start({ PORT: port })).rejects.toThrow(
    `exit 1: Port ${port} is already in use. Set PORT to another one.`,
  );
});

it("the server refuses a data folder that another server uses, and takes it over after that one was killed", async () => {
  const first = await start();
  const refusal = `Foyer cannot start: Process ${first.pid} is using the data folder ${join(folder.path, "data")}.`;
  await expect(start()).rejects.toThrow(`exit 1: ${refusal} Stop it first.`);
  first.kill("SIGKILL");
  await first.exited;
  const second = await start();
  expect((await fetch(`${second.url}/readyz`)).status).toBe(200);
  second.kill("SIGTERM");
  expect((await second.exited).code).toBe(0);
});

it("the database file is readable only by its owner, even in a shared folder", async () => {
  const data = join(folder.path, "data");
  mkdirSync(data, { mode: 0o755 });
  writeFileSync(join(data, "foyer.sqlite"), "", { mode: 0o644 });
  const server = await start();
  const files = readdirSync(data).filter((name) => name.startsWith("foyer.sqlite"));
  expect(files.length).toBeGreaterThan(1);
  for (const name of files) expect(statSync(join(data, name)).mode & 0o777, name).toBe(0o600);
  server.kill("SIGTERM");
  await server.exited;
});

it("a shutdown lets a running reply finish and accepts no new one", async () => {
  const gate = Promise.withResolvers<void>();
  upstream.script(async (exchange) => {
    const { send, end } = eventStream(exchange);
    send(chunk({ content: "Before " }));
    await gate.promise;
    send(chunk({ content: "and after." }, "stop"));
    send("[DONE]");
    end();
  });
  const server = await start(withModel());
  const agentId = await makeAgent(server.url);
  const stream = await say(server.url, agentId);
  await stream.until("content_block_delta");
  server.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503);
  const refused = await say(server.url, agentId);
  expect(refused.response.status).toBe(503);
  expect((await refused.response.json()).error.code).toBe("OVERLOADED");
  gate.resolve();
  await stream.ended;
  expect(textOf(stream.events)).toBe("Before and after.");
  expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "end_turn" });
  expect((await server.exited).code).toBe(0);
});

it("a shutdown aborts a reply after the drain timeout, tells the visitor and stores it", async () => {
  upstream.script((exchange) => eventStream(exchange).send(chunk({ content: "Endless" })));
  const server = await start({ ...withModel(), FOYER_DRAIN_TIMEOUT: "200ms" });
  const stream = await say(server.url, await makeAgent(server.url));
  await stream.until("content_block_delta");
  server.kill("SIGTERM");
  await stream.ended;
  expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "aborted" });
  expect((await server.exited).code).toBe(0);
});

it("a server killed during a reply has stored the user's message and the partial reply", async () => {
  upstream.script((exchange) => eventStream(exchange).send(chunk({ content: "Half a reply" })));
  const server = await start(withModel());
  const agentId = await makeAgent(server.url);
  const stream = await say(server.url, agentId);
  const first = await stream.until("message_start");
  await stream.until("content_block_delta");
  const headers = { authorization: `Bearer ${key}` };
  const id = first.type === "message_start" ? first.conversationId : "";
  const read = async (url: string) =>
    (await (await fetch(`${url}/conversations/${id}`, { headers })).json()).data.messages;
  await expect.poll(async () => (await read(server.url))[1].content).toBe("Half a reply");
  stream.ended.catch(() => {});
  server.kill("SIGKILL");
  await server.exited;
  const again = await start(withModel());
  expect(await read(again.url)).toMatchObject([{ content: "Hello" }, { content: "Half a reply" }]);
  again.kill("SIGTERM");
  await again.exited;
});
