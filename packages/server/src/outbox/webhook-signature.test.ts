import { webcrypto } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { type FormClient, openForms } from "../../../../test/form-client.ts";
import type { Received } from "../../../../test/webhook-receiver.ts";
import { createWebhookHeaders } from "./webhook-signature.ts";

type Signed = { body: string; headers: Record<string, string> };
type Verify = (secret: string, signed: Signed) => Promise<boolean>;

const makeSecret = (seed: number) => `whsec_${Buffer.alloc(32, seed).toString("base64")}`;
const [first, second, other] = [makeSecret(1), makeSecret(2), makeSecret(3)];
const sign = (body: string, secrets = [first], sentAt = new Date()): Signed => ({
  body,
  headers: createWebhookHeaders({ id: "sub_1", sentAt, body: Buffer.from(body), secrets }),
});

const byPackage: Verify = async (secret, { body, headers }) => {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
};

/**
 * Verifies a signature. Written only from the specification: HMAC-SHA256 of `id.timestamp.body`, with a tolerance of
 * five minutes.
 */
const byWebCrypto: Verify = async (secret, { body, headers }) => {
  const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signatures = "" } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > 300) return false;
  const raw = Uint8Array.fromBase64(secret.slice("whsec_".length));
  const key = await webcrypto.subtle.importKey("raw", raw, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const one of signatures.split(" ")) {
    const [version, signature = ""] = one.split(",");
    if (version !== "v1") continue;
    if (await webcrypto.subtle.verify("HMAC", key, Uint8Array.fromBase64(signature), content)) return true;
  }
  return false;
};

describe.each([
  ["the standardwebhooks package", byPackage],
  ["a verifier after the specification", byWebCrypto],
])("%s", (_, verify) => {
  it("accepts our signature of any body", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme" }), async (text) => {
        expect(await verify(first, sign(JSON.stringify({ text })))).toBe(true);
      }),
    );
  });

  it("rejects a different secret, body, id, timestamp or signature", async () => {
    const { body, headers } = sign('{"a":1}');
    const changeHeader = (name: string, value: string): Signed => ({ body, headers: { ...headers, [name]: value } });
    expect(await verify(first, { body, headers })).toBe(true);
    expect(await verify(other, { body, headers })).toBe(false);
    expect(await verify(first, { body: '{"a":2}', headers })).toBe(false);
    expect(await verify(first, changeHeader("webhook-id", "sub_2"))).toBe(false);
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    expect(await verify(first, changeHeader("webhook-timestamp", later))).toBe(false);
    const flipped = headers["webhook-signature"]?.replace(/,(.)/, (_, letter) => `,${letter === "A" ? "B" : "A"}`);
    expect(await verify(first, changeHeader("webhook-signature", flipped ?? ""))).toBe(false);
  });

  it("rejects a request replayed after more than five minutes", async () => {
    const subtractSeconds = (seconds: number) => new Date(Date.now() - seconds * 1_000);
    expect(await verify(first, sign("{}", [first], subtractSeconds(280)))).toBe(true);
    expect(await verify(first, sign("{}", [first], subtractSeconds(320)))).toBe(false);
  });

  it("accepts either of two secrets during a rotation", async () => {
    const signed = sign("{}", [second, first]);
    expect([await verify(first, signed), await verify(second, signed), await verify(other, signed)]).toEqual([
      true,
      true,
      false,
    ]);
  });
});

onBothDatabases("signed webhooks", (createDatabase) => {
  let database: TestDatabase;
  let forms: FormClient;
  beforeAll(async () => {
    database = await createDatabase();
    forms = await openForms({ database });
  });
  beforeEach(() => forms.reset());
  afterAll(async () => {
    await forms.stop();
    await database.drop();
  });

  const isSignedBy = async (secret: string, { headers, text: body }: Received) => {
    const signed = { body, headers: headers as Record<string, string> };
    const verdicts = [await byPackage(secret, signed), await byWebCrypto(secret, signed)];
    expect(verdicts[0]).toBe(verdicts[1]);
    return verdicts[0];
  };
  const readSecret = async (id: string) => (await forms.account.call("GET", `/tools/${id}/webhook-secret`)).body;
  const send = async (id: string) => {
    const { body } = await forms.submit(id, { name: "Ådå 🚲" });
    expect(body.webhookResult.success).toBe(true);
    const received = forms.receiver.received.at(-1);
    if (!received) throw new Error("nothing was received");
    expect(received.headers["webhook-id"]).toBe(body.submissionId);
    return received;
  };

  it("verify with the secret of their form and of no other form", async () => {
    const formWebhookUrl = `${forms.receiver.url}/lead`;
    const [form, stranger] = [await forms.createForm({ formWebhookUrl }), await forms.createForm({ formWebhookUrl })];
    const received = await send(form.id);
    const { secret, previousSecret, rotatedAt } = await readSecret(form.id);
    expect([secret, previousSecret, rotatedAt]).toEqual([expect.stringMatching(/^whsec_[\w+/]{43}=$/), null, null]);
    expect(await isSignedBy(secret, received)).toBe(true);
    expect(await isSignedBy((await readSecret(stranger.id)).secret, received)).toBe(false);
    const stored = await forms.db.selectFrom("webhookSecrets").selectAll().execute();
    expect(JSON.stringify(stored)).not.toContain(secret.slice(6, 30));
  });

  it("verify with both secrets for 24 hours after a rotation, then only with the new one", async () => {
    const form = await forms.createForm({ formWebhookUrl: `${forms.receiver.url}/lead` });
    const before = await readSecret(form.id);
    await send(form.id);
    const rotated = await forms.account.call("POST", `/tools/${form.id}/webhook-secret/rotate`);
    expect(rotated.body).toEqual({
      secret: expect.stringMatching(/^whsec_/),
      previousSecret: before.secret,
      rotatedAt: expect.stringMatching(/Z$/),
    });
    expect(rotated.body.secret).not.toBe(before.secret);
    const during = await send(form.id);
    expect(await isSignedBy(before.secret, during)).toBe(true);
    expect(await isSignedBy(rotated.body.secret, during)).toBe(true);

    const setRotationAge = (ms: number) =>
      forms.db
        .updateTable("webhookSecrets")
        .set({ rotatedAt: Date.now() - ms })
        .where("toolId", "=", form.id)
        .execute();
    await setRotationAge(86_400_000 - 60_000);
    expect(await isSignedBy(before.secret, await send(form.id))).toBe(true);
    await setRotationAge(86_400_000 + 1);
    // The server caches the signing secret for at most a second.
    let after = await send(form.id);
    const isSignedByBoth = async () => {
      after = await send(form.id);
      return isSignedBy(before.secret, after);
    };
    await expect.poll(isSignedByBoth).toBe(false);
    expect(await isSignedBy(rotated.body.secret, after)).toBe(true);
    expect(await readSecret(form.id)).toMatchObject({ secret: rotated.body.secret, previousSecret: null });
  });

  it("exist for forms only", async () => {
    const { agentId, account } = forms;
    const mock = { agentId, name: "hours", description: "d", executionType: "mock", inputSchema: { type: "object" } };
    const { body } = await account.call("POST", "/tools", mock);
    for (const [method, url] of [
      ["GET", `/tools/${body.id}/webhook-secret`],
      ["POST", `/tools/${body.id}/webhook-secret/rotate`],
    ] as const)
      expect((await account.call(method, url)).status).toBe(400);
  });
});
