import { createHmac } from "node:crypto";
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { readUserToken } from "./user-token.ts";

const agentId = "agent_01jd3v5m8k2q7x4n9r6t1w0ybc";
const secret = "fis_a-secret-of-the-agent-that-is-long-enough";
const now = Date.UTC(2026, 0, 31, 12);
const iat = now / 1_000;
const good = { sub: "42", aud: agentId, iat, exp: iat + 3_600, email: "ada@example.com", claims: { plan: "pro" } };

/** The long form: `FOYER_FORGED_TOKENS=10000 npx vitest run packages/server/src/agents/identity`. */
const FORGED = Number(process.env.FOYER_FORGED_TOKENS ?? 1_000);

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
/** A token with any content, including content that no library would sign. */
function createToken(payload: object, { header = {}, key = secret, hash = "sha256" } = {}) {
  const signed = `${part({ alg: "HS256", typ: "JWT", ...header })}.${part(payload)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest("base64url")}`;
}
const read = (text: string) => readUserToken(text, { agentId, secret, now });

describe("a user token", () => {
  it("proves everything that it contains", async () => {
    const visitor = { id: "42", email: "ada@example.com", name: null, claims: { plan: "pro" } };
    expect(await read(createToken(good))).toEqual({ visitor, expiresAt: now + 3_600_000 });
    const bare = { sub: "42", aud: ["other", agentId], iat: iat + 30, exp: iat + 60, name: null };
    expect((await read(createToken(bare))).visitor).toEqual({ id: "42", email: null, name: null, claims: {} });
  });

  it.each<[reason: string, string]>([
    ["It expired at 2026-01-31T12:00:00.000Z.", createToken({ ...good, iat: iat - 60, exp: iat })],
    [
      `It is for another agent: its aud is "agent_other", not "${agentId}".`,
      createToken({ ...good, aud: "agent_other" }),
    ],
    [
      `It is for another agent: its aud is "agent_other", not "${agentId}".`,
      createToken({ ...good, aud: "agent_other" }, { key: "fis_of-another-agent" }),
    ],
    ["It has no aud.", createToken({ ...good, aud: undefined })],
    [
      "Its signature does not match. Sign it with the identity secret of this agent.",
      createToken(good, { key: "fis_a-secret-that-was-replaced" }),
    ],
    ['It has the algorithm "none". Sign it with HS256.', `${part({ alg: "none" })}.${part(good)}.`],
    [
      'It has the algorithm "HS512". Sign it with HS256.',
      createToken(good, { header: { alg: "HS512" }, hash: "sha512" }),
    ],
    ["It has no exp.", createToken({ ...good, exp: undefined })],
    ["It has no iat.", createToken({ ...good, iat: undefined })],
    ["It has no sub.", createToken({ ...good, sub: undefined })],
    ["Its sub is not a string. Convert it to one.", createToken({ ...good, sub: 42 })],
    ["Its sub is empty.", createToken({ ...good, sub: "" })],
    ["Its exp is more than 24 hours after its iat.", createToken({ ...good, exp: iat + 86_401 })],
    ["Its iat is in the future.", createToken({ ...good, iat: iat + 61 })],
    ["Its exp is not valid", createToken({ ...good, exp: "tomorrow" })],
    ["Its email is not a string.", createToken({ ...good, email: { a: 1 } })],
    ["Its name is longer than 320 characters.", createToken({ ...good, name: "n".repeat(321) })],
    ["Its claims are not an object.", createToken({ ...good, claims: ["pro"] })],
    ["Its claims are larger than 8 KB of JSON.", createToken({ ...good, claims: { text: "é".repeat(4_096) } })],
    ["Its name contains invalid characters.", createToken({ ...good, name: "A\0" })],
    ["It uses an extension", createToken(good, { header: { crit: ["x"], x: 1 } })],
    ["It is not a JWT in compact form", ""],
    ["It is not a JWT in compact form", "42"],
  ])("is refused with the reason: %s", async (reason, text) => {
    const error = await read(text).catch((error) => error);
    expect(error).toMatchObject({ code: "INVALID_USER_TOKEN", status: 401 });
    expect(error.message).toContain(`The user token is not valid. ${reason}`);
    expect(error.message).not.toContain(secret);
  });

  it(`is refused after any of ${FORGED} changes by someone without the secret`, async () => {
    const signed = await new SignJWT(good).setProtectedHeader({ alg: "HS256" }).sign(new TextEncoder().encode(secret));
    await read(signed);
    let accepted = 0;
    for (const forged of generateForgeries(signed, FORGED))
      accepted += await read(forged).then(
        () => 1,
        () => 0,
      );
    expect(accepted).toBe(0);
  });
});

/** Tokens that an attacker can make from a valid one, from another agent's secret and from public values. */
function* generateForgeries(valid: string, count: number): Generator<string> {
  const [header = "", payload = "", signature = ""] = valid.split(".");
  const other = { ...good, sub: "43" };
  const publicKeys = [
    agentId,
    "",
    "fis_",
    "secret",
    header,
    payload,
    signature,
    Buffer.from(payload, "base64url").toString(),
  ];
  const makers: Array<(n: number) => string> = [
    (n) => `${part({ alg: ["none", "None", "NONE", "nOnE"][n % 4] })}.${part({ ...other, n })}.`,
    (n) => `${part({ alg: "none" })}.${part({ ...other, n })}.${signature}`,
    (n) => createToken({ ...other, n }, { key: `fis_${n}` }),
    (n) => createToken({ ...other, n }, { key: publicKeys[n % publicKeys.length] ?? "" }),
    (n) => createToken({ ...good, n, aud: `agent_${n}` }),
    (n) => createToken({ ...good, n, iat: iat - 7_200 - n, exp: iat - 1 - n }),
    (n) => valid.slice(0, 1 + (n % (valid.length - 1))),
    (n) => `${header}.${part({ ...other, n })}.${signature}`,
    (n) =>
      createToken(other, { header: { alg: ["HS384", "HS512"][n % 2], n }, hash: ["sha384", "sha512"][n % 2] ?? "" }),
    (n) => createToken({ ...other, n }, { header: { alg: ["RS256", "ES256", "EdDSA", "A128KW"][n % 4] } }),
    (n) => createToken({ ...other, n }, { header: { jwk: { kty: "oct", k: part("x") }, kid: `${n}` }, key: "x" }),
    (n) => changeCharacter(valid, n),
  ];
  for (let n = 0; n < count; n++)
    yield (makers[n % makers.length] as (n: number) => string)(Math.floor(n / makers.length));
}

/** The token with one character replaced by another that decodes to different bytes. */
function changeCharacter(text: string, n: number): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  // The last character of a signature has bits that are not part of it.
  const at = (n * 7) % (text.length - 1);
  const before = alphabet.indexOf(text[at] ?? "");
  const after = alphabet[(before + 1 + (n % 62)) % 64] ?? "A";
  return text.slice(0, at) + after + text.slice(at + 1);
}
