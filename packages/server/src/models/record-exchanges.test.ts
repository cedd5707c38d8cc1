import { expect, it } from "vitest";
import type { Outbound } from "../outbound/guarded-request.ts";
import { createRecorder } from "./record-exchanges.ts";

const apiKey = 'sk-"secret"/with/slashes-0123456789';

/** @returns the recorded body of a response */
async function record(body: string) {
  const outbound = { request: async () => ({ status: 200, headers: {}, body: Buffer.from(body) }) };
  const source = { apiKey, baseUrl: "https://models.example" };
  const recorder = createRecorder(outbound as unknown as Outbound, source, { isHidden: false });
  const call = { url: source.baseUrl, method: "GET", trust: "operator", organizationId: null } as const;
  await recorder.outbound.request({ ...call, timeoutMs: 1, maxBytes: 1 });
  return recorder.exchanges[0]?.response?.body;
}

it("an exchange shows no key that is escaped in JSON", async () => {
  expect(await record(JSON.stringify({ key: apiKey }))).toBe('{"key":"***"}');
  expect(await record(JSON.stringify({ key: apiKey }).replaceAll("/", "\\/"))).toBe('{"key":"***"}');
});

it("an exchange shows no part of a key at which a long response was cut", async () => {
  const body = `${apiKey}${"x".repeat(16 * 1024 - apiKey.length + 1)}${apiKey.slice(0, 20)}`;
  expect(await record(body)).not.toContain("sk-");
});
