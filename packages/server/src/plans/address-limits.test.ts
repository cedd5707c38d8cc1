import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { newId } from "../ids.ts";

/** A public address, so that limits by IP address also apply to loopback. */
const BASE_URL = "https://chat.example.com";
const LIMIT = 2;

let number = 0;
const email = () => `visitor${number++}@example.com`;
const event = { triggerName: "Greet", triggerType: "exit_intent", actionType: "open_chat", eventType: "fired" };

/**
 * Each endpoint that is limited by IP address: its variable, and a body whose check runs after the limit, or is cheap.
 */
const endpoints: Array<[url: string, variable: string, body: () => object]> = [
  ["/chat", "CHAT_PER_IP", () => ({ agentId: newId("agent"), messages: [{ role: "user", content: "Hi" }] })],
  ["/form-submissions/submit", "SUBMIT_PER_IP", () => ({ toolId: newId("tool"), formData: {}, fieldsCompleted: [] })],
  ["/form-submissions/client-result", "SUBMIT_PER_IP", () => ({ submissionId: newId("sub"), success: true })],
  [
    "/form-submissions/event",
    "EVENTS_PER_IP",
    () => ({ toolId: newId("tool"), eventType: "impression", formInstanceId: "i" }),
  ],
  ["/triggers/event", "EVENTS_PER_IP", () => ({ ...event, agentId: newId("agent"), sessionId: email() })],
  ["/auth/sign-in/email", "SIGN_IN_PER_IP", () => ({ email: email(), password: "not a password of anybody" })],
  ["/auth/magic-link", "SIGN_IN_PER_IP", () => ({ email: email(), callbackUrl: "/dashboard" })],
  ["/auth/request-password-reset", "SIGN_IN_PER_IP", () => ({ email: email() })],
];

it.each([
  ["POST", "/auth/sign-in/email"],
  ["POST", "/auth/sign-up/email"],
  ["POST", "/auth/magic-link"],
  ["POST", "/auth/request-password-reset"],
  ["POST", "/auth/reset-password"],
  ["POST", "/auth/send-verification-email"],
] as const)("%s %s returns its limit for an invalid body without counting the call", async (method, url) => {
  const server = await startServer({ env: { BASE_URL, FOYER_LIMIT_SIGN_IN_PER_IP: "3" } });
  for (let call = 0; call < 2; call++) {
    const response = await server.app.inject({ method, url, remoteAddress: "203.0.113.1", payload: { email: 5 } });
    expect(response.statusCode).toBe(400);
    expect(response.headers).toMatchObject({ "x-ratelimit-limit": "3", "x-ratelimit-remaining": "3" });
    expect(Number(response.headers["x-ratelimit-reset"])).toBeGreaterThan(0);
  }
  await server.stop();
});

describe.each(endpoints)("calls of %s by IP address", (url, variable, body) => {
  let server: TestServer;
  beforeAll(async () => {
    const env = { BASE_URL, FOYER_TRUST_PROXY: "10.0.0.0/8,fd00::/8", [`FOYER_LIMIT_${variable}`]: String(LIMIT) };
    server = await startServer({ env });
  });
  afterAll(() => server.stop());

  const from = (remoteAddress: string, forwarded?: string, at = server) =>
    at.app.inject({
      ...({ method: "POST", url, remoteAddress, payload: body() } as const),
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded },
    });
  const statusFrom = async (...args: Parameters<typeof from>) => (await from(...args)).statusCode;

  it("are counted, and refused with everything that a client needs to know", async () => {
    for (let call = 0; call < LIMIT; call++) expect(await statusFrom("203.0.113.1")).not.toBe(429);
    const before = Date.now() / 1_000;
    const refused = await from("203.0.113.1");
    const after = Date.now() / 1_000;
    expect([refused.statusCode, refused.json().error.code]).toEqual([429, "RATE_LIMITED"]);
    const retryAfter = Number(refused.headers["retry-after"]);
    const reset = Number(refused.headers["x-ratelimit-reset"]);
    expect(refused.headers).toMatchObject({ "x-ratelimit-limit": String(LIMIT), "x-ratelimit-remaining": "0" });
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    // Both denote the same time, rounded up to whole seconds: one as a duration, one as a timestamp.
    expect(reset).toBeGreaterThan(before + retryAfter - 1);
    expect(reset).toBeLessThan(after + retryAfter + 1);
    expect(await statusFrom("203.0.113.2")).not.toBe(429);
  });

  it("are counted by /64 for IPv6, and as IPv4 when it is mapped", async () => {
    expect(await statusFrom("2001:db8:1:2::1")).not.toBe(429);
    expect(await statusFrom("2001:db8:1:2:aaaa::1")).not.toBe(429);
    expect(await statusFrom("2001:db8:1:2:ffff:eeee:dddd:cccc")).toBe(429);
    expect(await statusFrom("2001:db8:1:3::1")).not.toBe(429);
    expect(await statusFrom("::ffff:203.0.113.3")).not.toBe(429);
    expect(await statusFrom("203.0.113.3")).not.toBe(429);
    expect(await statusFrom("::ffff:cb00:7103")).toBe(429);
  });

  it("are counted by the address that a trusted proxy sends, ignoring other clients' headers", async () => {
    for (let call = 0; call < LIMIT; call++) expect(await statusFrom("10.1.2.3", "198.51.100.1")).not.toBe(429);
    expect(await statusFrom("10.9.9.9", "192.0.2.7, 198.51.100.1, 10.4.5.6")).toBe(429);
    expect(await statusFrom("fd00::1", "198.51.100.1")).toBe(429);
    expect(await statusFrom("10.1.2.3", "198.51.100.2")).not.toBe(429);
    for (let call = 0; call < LIMIT; call++)
      expect(await statusFrom("203.0.113.4", `198.51.100.1${call}`)).not.toBe(429);
    expect(await statusFrom("203.0.113.4", "198.51.100.19")).toBe(429);
    expect(await statusFrom("10.1.2.3", "2001:db8:9:9::1")).not.toBe(429);
    expect(await statusFrom("10.1.2.3", "2001:db8:9:9::2")).not.toBe(429);
    expect(await statusFrom("10.1.2.3", "2001:db8:9:9::3")).toBe(429);
  });

  it("are counted by the address alone when a trusted proxy adds a port, brackets or something else", async () => {
    for (const entry of ["198.51.100.61:1001", "198.51.100.61:1002"]) {
      expect(await statusFrom("10.1.2.3", entry)).not.toBe(429);
    }
    expect(await statusFrom("10.1.2.3", "unknown, 198.51.100.61:1003")).toBe(429);
    for (const entry of ["[2001:db8:7:7::1]:1001", "[2001:db8:7:7::2]"]) {
      expect(await statusFrom("10.1.2.3", entry)).not.toBe(429);
    }
    expect(await statusFrom("10.1.2.3", "2001:db8:7:7::3")).toBe(429);
    // An invalid address counts as the proxy's own.
    for (const entry of ["one", "two"]) expect(await statusFrom("10.77.0.1", entry)).not.toBe(429);
    expect(await statusFrom("10.77.0.1", "three")).toBe(429);
  });

  it("are also counted on this machine for a forwarded request or one for another host", async () => {
    const local = await startServer({ env: { [`FOYER_LIMIT_${variable}`]: "1" } });
    const post = async (headers: Record<string, string>) =>
      (await local.app.inject({ method: "POST", url, payload: body(), headers })).statusCode;
    expect(await post({ "x-real-ip": "203.0.113.1" })).not.toBe(429);
    for (const headers of [{ host: "chat.example.com" }, { forwarded: "for=1" }, { "x-forwarded-for": "1.2.3.4" }]) {
      expect(await post(headers as Record<string, string>)).toBe(429);
    }
    await local.stop();
  });

  it("are not counted when the variable is 0 or from this machine, except for trigger events", async () => {
    const off = await startServer({ env: { BASE_URL, [`FOYER_LIMIT_${variable}`]: "0" } });
    const local = await startServer({ env: { [`FOYER_LIMIT_${variable}`]: "1" } });
    for (let call = 0; call < LIMIT + 2; call++) {
      expect(await statusFrom("203.0.113.1", undefined, off)).not.toBe(429);
    }
    for (const address of ["127.0.0.1", "127.0.0.1", "::1", "::ffff:127.0.0.1"]) {
      if (url !== "/triggers/event") expect(await statusFrom(address, undefined, local)).not.toBe(429);
    }
    if (url === "/triggers/event") {
      expect(await statusFrom("127.0.0.1", undefined, local)).not.toBe(429);
      expect(await statusFrom("127.0.0.1", undefined, local)).toBe(429);
    }
    await off.stop();
    await local.stop();
  });
});
