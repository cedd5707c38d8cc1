import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../test/server.ts";
import { createLoopbackPrivileges } from "./loopback-privileges.ts";

let server: TestServer;
const target = createServer((_, response) => response.end("internal"));
beforeAll(async () => {
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  target.closeAllConnections();
  target.close();
});

it.each(["127.0.0.1", "localhost"])(
  "a direct request's tool may call %s, but a forwarded request's tool may not",
  async (host) => {
    const { headers, call } = await server.createAccount();
    const agentId = (await call("POST", "/agents", { name: "Harbour" })).body.data.id;
    const httpUrl = `http://${host}:${(target.address() as AddressInfo).port}/`;
    const inputSchema = { type: "object", properties: {} };
    const tool = { agentId, name: "look", description: "Looks", executionType: "http", httpUrl, inputSchema };
    const { id } = (await call("POST", "/tools", tool)).body;
    const test = async (more: Record<string, string> = {}) => {
      const request = {
        method: "POST",
        url: `/tools/${id}/test`,
        payload: {},
        headers: { ...headers, ...more },
      } as const;
      return (await server.app.inject(request)).json().isError;
    };
    // The direct call leaves its connection open, and the calls after it must not reuse that connection.
    expect(await test()).toBe(false);
    expect(await test({ "x-forwarded-for": "203.0.113.9" })).toBe(true);
    expect(await test({ "x-real-ip": "203.0.113.9" })).toBe(true);
    expect(await test({ host: "chat.example.com" })).toBe(true);
    expect(await test()).toBe(false);
  },
);

it("background work loses loopback privileges after a forwarded request, which is logged once", () => {
  const warnings: unknown[] = [];
  const privileges = createLoopbackPrivileges(true, { warn: (line: unknown) => void warnings.push(line) } as never);
  expect(privileges.areGranted()).toBe(true);
  for (let i = 0; i < 2; i++) privileges.run(false, () => expect(privileges.areGranted()).toBe(false));
  privileges.run(true, () => expect(privileges.areGranted()).toBe(true));
  expect([privileges.areGranted(), warnings.length]).toEqual([false, 1]);
});

it("a server that others can reach has no loopback privileges", () => {
  const privileges = createLoopbackPrivileges(false, { warn: () => {} } as never);
  privileges.run(true, () => expect(privileges.areGranted()).toBe(false));
});
