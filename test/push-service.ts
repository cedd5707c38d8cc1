import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from "node:crypto";
import { startReceiver } from "./webhook-receiver.ts";

/** A browser that has subscribed: the keys that it sends, and those that it needs to read a message. */
export type PushBrowser = { keys: { p256dh: string; auth: string }; pair: ECDH; auth: Buffer };

export function createPushBrowser(): PushBrowser {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  const auth = randomBytes(16);
  return { keys: { p256dh: pair.getPublicKey("base64url"), auth: auth.toString("base64url") }, pair, auth };
}

/** Decrypts a message as a browser does. Written from RFC 8188 and RFC 8291, independently of the code under test. */
export function decryptPush({ pair, auth }: PushBrowser, body: Buffer): Buffer {
  const [salt, keyLength] = [body.subarray(0, 16), body.readUInt8(20)];
  const sender = body.subarray(21, 21 + keyLength);
  const sealed = body.subarray(21 + keyLength);
  const context = Buffer.concat([Buffer.from("WebPush: info\0", "latin1"), pair.getPublicKey(), sender]);
  const input = Buffer.from(hkdfSync("sha256", pair.computeSecret(sender), auth, context, 32));
  const part = (name: string, length: number) => Buffer.from(hkdfSync("sha256", input, salt, `${name}\0`, length));
  const decipher = createDecipheriv(
    "aes-128-gcm",
    part("Content-Encoding: aes128gcm", 16),
    part("Content-Encoding: nonce", 12),
  ).setAuthTag(sealed.subarray(-16));
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  return padded.subarray(0, padded.lastIndexOf(2));
}

/** The claims of a token, verified with this key (ES256). */
function readToken(token: string, key: Buffer): { aud: string; sub: string; exp: number } {
  const [header = "", body = "", signature = ""] = token.split(".");
  const [x = "", y = ""] = [key.subarray(1, 33), key.subarray(33)].map((half) => half.toString("base64url"));
  const publicKey = createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" });
  const signed = Buffer.from(`${header}.${body}`);
  const isSigned = verify(
    "sha256",
    signed,
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  if (!isSigned) throw new Error("The key has not signed this token.");
  return JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
}

/**
 * A stand-in for a push service: it verifies the signature of RFC 8292 with the key in the request, and hands messages
 * to their browsers.
 */
export async function startPushService() {
  const browsers = new Map<string, PushBrowser>();
  const receiver = await startReceiver();
  return {
    receiver,
    /** @returns the subscription that the browser sends to the server */
    subscribe(name: string) {
      const browser = createPushBrowser();
      browsers.set(`/push/${name}`, browser);
      return { endpoint: `${receiver.url}/push/${name}`, keys: browser.keys };
    },
    /** The messages that browsers received, with their headers and the verified claims. */
    messages() {
      return receiver.received.map(({ path, headers, bytes }) => {
        const browser = browsers.get(path);
        if (!browser) throw new Error(`No browser has subscribed at ${path}.`);
        const [, token = "", key = ""] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? "") ?? [];
        const claims = readToken(token, Buffer.from(key, "base64url"));
        return { path, headers, claims, key, message: JSON.parse(decryptPush(browser, bytes).toString("utf8")) };
      });
    },
    stop: () => receiver.stop(),
  };
}
