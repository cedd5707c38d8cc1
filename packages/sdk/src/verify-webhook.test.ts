import { Webhook } from "standardwebhooks";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { verifyWebhook } from "./verify-webhook.ts";

const secret = `whsec_${Buffer.from("a secret of thirty-two bytes....").toString("base64")}`;
const otherSecret = `whsec_${Buffer.from("another secret of 32 bytes......").toString("base64")}`;
const body = JSON.stringify({ submissionId: "sub_1", formData: { name: "Åsa" } });

/** Creates the headers as an independent implementation of Standard Webhooks does. */
function sign(secrets = [secret], sentAt = new Date("2026-03-01T12:00:00Z")) {
  const signatures = secrets.map((each) => new Webhook(each).sign("sub_1", sentAt, body));
  return {
    "webhook-id": "sub_1",
    "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1_000)),
    "webhook-signature": signatures.join(" "),
  };
}

describe("verifyWebhook", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-03-01T12:00:00Z") }));
  afterEach(() => void vi.useRealTimers());

  it("accepts an independent implementation's signature and returns the parsed body", async () => {
    expect(await verifyWebhook({ secret, headers: sign(), body })).toEqual(JSON.parse(body));
    expect(await verifyWebhook({ secret, headers: new Headers(sign()), body })).toEqual(JSON.parse(body));
    expect(await verifyWebhook({ secret, headers: sign(), body: Buffer.from(body) })).toEqual(JSON.parse(body));
  });

  it("accepts either secret during a rotation", async () => {
    const headers = sign([otherSecret, secret]);
    expect(await verifyWebhook({ secret, headers, body })).toMatchObject({ submissionId: "sub_1" });
    expect(await verifyWebhook({ secret: otherSecret, headers, body })).toMatchObject({ submissionId: "sub_1" });
  });

  it.each<[string, object]>([
    [
      "names of headers in another case",
      {
        headers: {
          "Webhook-Id": sign()["webhook-id"],
          "WEBHOOK-TIMESTAMP": sign()["webhook-timestamp"],
          "Webhook-Signature": sign()["webhook-signature"],
        },
      },
    ],
    [
      "headers as lists",
      { headers: Object.fromEntries(Object.entries(sign()).map(([name, value]) => [name, [value]])) },
    ],
    ["headers of a framework's own class", { headers: { get: (name: string) => new Headers(sign()).get(name) } }],
    ["a line break after the secret", { secret: `${secret}\n` }],
    ["the body as an ArrayBuffer", { body: new TextEncoder().encode(body).buffer }],
  ])("accepts %s", async (_, change) => {
    expect(await verifyWebhook({ secret, headers: sign(), body, ...change })).toEqual(JSON.parse(body));
  });

  it.each([
    ["a body that was already parsed", { body: JSON.parse(body) }, /Pass the raw one/],
    ["a changed body", { body: `${body} ` }, /No signature matches/],
    ["another secret", { secret: otherSecret }, /No signature matches/],
    ["a secret of another form", { secret: "whsec_%%" }, /whsec_/],
    ["an old request", { headers: sign([secret], new Date("2026-03-01T11:54:59Z")) }, /301 seconds ago; at most 300/],
    ["a request from the future", { headers: sign([secret], new Date("2026-03-01T12:05:01Z")) }, /at most 300/],
    ["a missing header", { headers: { ...sign(), "webhook-id": undefined } }, /webhook-id is missing/],
    ["a time that is no number", { headers: { ...sign(), "webhook-timestamp": "now" } }, /webhook-timestamp/],
    ["a signature that is no base64", { headers: { ...sign(), "webhook-signature": "v1,%%%" } }, /No signature/],
    ["an unknown scheme", { headers: { ...sign(), "webhook-signature": "v2,AAAA" } }, /No signature/],
  ])("refuses %s with a message that explains the problem", async (_, change, message) => {
    const request = { secret, headers: sign(), body, ...change };
    await expect(verifyWebhook(request)).rejects.toMatchObject({ code: "INVALID_SIGNATURE", status: 0 });
    await expect(verifyWebhook(request)).rejects.toThrow(message);
  });
});
