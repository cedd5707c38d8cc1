import { createHmac } from "node:crypto";
import { expect } from "vitest";

/** Returns the payload of a user token, after a check of its header and signature. */
export function decodeUserToken(token: string, secret: string) {
  const [header = "", payload = "", signature] = token.split(".");
  expect(signature).toBe(createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url"));
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());
  expect(read(header)).toEqual({ alg: "HS256", typ: "JWT" });
  return read(payload);
}
