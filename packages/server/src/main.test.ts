import { mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { joinText, openChat } from "../../../test/chat-client.ts";
import { startProcess, temporaryFolder } from "../../../test/process.ts";
import { chunk, eventStream, startUpstream, type Upstream } from "../../../test/upstream.ts";
import { runCommand } from "./commands.ts";

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

async function createAgent(url: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const response = await fetch(`${url}/agents`, { method: "POST", headers, body: JSON.stringify({ name: "Harbour" }) });
  return (await response.json()).data.id;
}
const sendHello = (url: string, agentId: string) =>
  openChat(url, { agentId, messages: [{ role: "user", content: "Hello" }] });

it("the server starts in an empty directory, prints three lines with the port chosen for PORT=0, and stops on a signal", async () => {
  const server = await start({ PORT: "0" });
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  const { port } = new URL(server.url);
  const { servers } = await (await fetch(`${server.url}/openapi.json`)).json();
  expect(servers).toEqual([{ url: `http://localhost:${port}` }]);
  server.kill("SIGTERM");
  const { code, stdout, stderr } = await server.exited;
  expect(code).toBe(0);
  expect(stderr).toBe("");
  const lines = stdout.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
  expect(lines).toEqual([
    `Foyer   http://localhost:${port}`,
    expect.stringMatching(/^Model {3}foyer\/demo /),
    expect.stringMatching(new RegExp(`^Set up {2}http://localhost:${port}/dashboard/setup\\?token=\\S{43}$`)),
  ]);
  const data = join(folder.path, "data");
  expect(readdirSync(data)).toContain("foyer.sqlite");
  expect(statSync(join(data, "secret")).mode & 0o777).toBe(0o600);
});

it("the server explains an invalid configuration and does not start", async () => {
  await expect(start({ PORT: "abc" })).rejects.toThrow(/exit 1: The configuration is invalid.\n {2}PORT: expected/);
});

it("the server names a data folder that it cannot create", async () => {
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  await expect(start({ FOYER_DATA_DIR: join(file, "data") })).rejects.toThrow(
    `exit 1: Foyer cannot start: ${join(file, "data")} cannot be read and written (ENOTDIR). Make it writable for`,
  );
});

it.each(["[::1]", "::1"])("the server listens on the IPv6 address %s", async (HOST) => {
  const server = await start({ HOST });
  const { port } = new URL(server.url);
  expect((await fetch(`http://[::1]:${port}/readyz`)).status).toBe(200);
  server.kill("SIGTERM");
  await server.exited;
});

it.each([
  ["a byte order mark", Buffer.from("\uFEFFFOYER_LOG_LEVEL=loud\n"), /FOYER_LOG_LEVEL: expected .* found "loud"/],
  ["UTF-16", Buffer.from("\uFEFFFOYER_LOG_LEVEL=loud\n", "utf16le"), /exit 1: Save the file .*\.env as UTF-8\./],
])("a .env file with %s is read, or refused with what to do", async (_, content, message) => {
  writeFileSync(join(folder.path, ".env"), content);
  await expect(startProcess({ FOYER_DATA_DIR: folder.path }, { cwd: folder.path })).rejects.toThrow(message);
});

it("the server names a port that is already in use", async () => {
  const port = new URL(upstream.url).port;
  await expect(start({ PORT: port })).rejects.toThrow(
    `exit 1: Port ${port} is already in use. Set PORT to another one.`,
  );
});

it("the server refuses a data folder that another server uses, and hides its files in a folder that all can read", async () => {
  const data = join(folder.path, "data");
  mkdirSync(data, { mode: 0o755 });
  writeFileSync(join(data, "foyer.sqlite"), "", { mode: 0o644 });
  const server = await start();
  const refusal = `Foyer cannot start: Process ${server.pid} is using the data folder ${data}.`;
  await expect(start()).rejects.toThrow(`exit 1: ${refusal} Stop it first.`);
  const files = readdirSync(data).filter((name) => name.startsWith("foyer.sqlite"));
  expect(files.length).toBeGreaterThan(1);
  for (const name of files) expect(statSync(join(data, name)).mode & 0o777, name).toBe(0o600);
  server.kill("SIGKILL");
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
  const agentId = await createAgent(server.url);
  const stream = await sendHello(server.url, agentId);
  await stream.until("content_block_delta");
  server.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503);
  const refused = await sendHello(server.url, agentId);
  expect(refused.response.status).toBe(503);
  expect((await refused.response.json()).error.code).toBe("OVERLOADED");
  gate.resolve();
  await stream.ended;
  expect(joinText(stream.events)).toBe("Before and after.");
  expect(stream.events.at(-1)).toMatchObject({ type: "message_stop", stopReason: "end_turn" });
  expect((await server.exited).code).toBe(0);
});

it("a server killed during a reply is replaced by one with the same owner and key, the message and the partial reply", async () => {
  upstream.script((exchange) => eventStream(exchange).send(chunk({ content: "Half a reply" })));
  const server = await start(withModel());
  const agentId = await createAgent(server.url);
  const stream = await sendHello(server.url, agentId);
  const first = await stream.until("message_start");
  await stream.until("content_block_delta");
  const headers = { authorization: `Bearer ${key}` };
  const id = first.type === "message_start" ? first.conversationId : "";
  const read = async (url: string) =>
    (await (await fetch(`${url}/conversations/${id}`, { headers })).json()).data.messages;
  await expect.poll(async () => (await read(server.url))[1].content).toBe("Half a reply");
  expect(server.output.stdout).not.toContain("Set up");
  stream.ended.catch(() => {});
  server.kill("SIGKILL");
  await server.exited;
  const again = await start(withModel());
  expect(await read(again.url)).toMatchObject([{ content: "Hello" }, { content: "Half a reply" }]);
  expect(
    await runCommand(["keys", "list", "--email", "ada@example.com"], { FOYER_DATA_DIR: join(folder.path, "data") }),
  ).toMatch(/^.+$/);
  again.kill("SIGKILL");
  await again.exited;
});
