import { createCipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes } from "node:crypto";

/** The keys of a browser's subscription, base64url. */
export type PushKeys = { p256dh: string; auth: string };

/** A push service accepts 4,096 bytes. The header, the padding delimiter and the tag take 103 of them. */
export const MAX_PUSH_BYTES = 4_096 - 103;
const RECORD_BYTES = 4_096;

/** Whether the keys can encrypt: a point on P-256 and a secret of 16 bytes. */
export function arePushKeys({ p256dh, auth }: PushKeys): boolean {
  const point = Buffer.from(p256dh, "base64url");
  if (point.length !== 65 || point[0] !== 4 || Buffer.from(auth, "base64url").length !== 16) return false;
  const [x = "", y = ""] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  try {
    return createPublicKey({ key: { kty: "EC", crv: "P-256", x, y }, format: "jwk" }) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Encrypts a message so that only the subscribed browser can read it: RFC 8291, in the encoding aes128gcm of RFC 8188.
 * @param random the key pair and the salt of this message, which only a test chooses
 */
export function encryptPush(
  { p256dh, auth }: PushKeys,
  message: Uint8Array,
  random: { pair: ECDH; salt: Buffer } = { pair: createKeyPair(), salt: randomBytes(16) },
): Buffer {
  if (message.length > MAX_PUSH_BYTES) throw new Error(`A push message has at most ${MAX_PUSH_BYTES} bytes.`);
  const { pair, salt } = random;
  const [receiver, sender] = [Buffer.from(p256dh, "base64url"), pair.getPublicKey()];
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, sender]);
  const secret = derive(pair.computeSecret(receiver), { salt: Buffer.from(auth, "base64url"), info, length: 32 });
  const key = derive(secret, { salt, info: Buffer.from("Content-Encoding: aes128gcm\0"), length: 16 });
  const nonce = derive(secret, { salt, info: Buffer.from("Content-Encoding: nonce\0"), length: 12 });
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const lengths = Buffer.alloc(5);
  lengths.writeUInt32BE(RECORD_BYTES);
  lengths.writeUInt8(sender.length, 4);
  // The delimiter 2 marks the end of the last record.
  const body = [cipher.update(message), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([salt, lengths, sender, ...body]);
}

function createKeyPair(): ECDH {
  const pair = createECDH("prime256v1");
  pair.generateKeys();
  return pair;
}

function derive(secret: Buffer, { salt, info, length }: { salt: Buffer; info: Buffer; length: number }): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, salt, info, length));
}
