import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Encryption at rest and signatures, based on FOYER_SECRET. Each purpose uses its own key, derived from the secret. */
export type Encryption = {
  /** AES-256-GCM. The result is text. Decryption requires the same `context`, usually the id of the row. */
  encrypt(plain: string, context: string): string;
  /** @throws when the text was modified, or encrypted with another secret or context */
  decrypt(encrypted: string, context: string): string;
  /** base64url HMAC-SHA256, for tokens */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
  /**
   * Encrypts so that the same text has the same result, which can name something without revealing it. The nonce is an
   * HMAC of the text (a synthetic IV), so no two texts share one. The result is base64url.
   */
  createPseudonym(text: string, context: string): string;
  /** @returns the text, or null when this server has not made the pseudonym in this context */
  readPseudonym(pseudonym: string, context: string): string | null;
};

export function createEncryption(rootSecret: string): Encryption {
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", rootSecret, "", `foyer:${purpose}`, 32));
  const encryptionKey = derive("encryption-at-rest");
  const pseudonymKey = derive("pseudonyms");
  const signingKeys = new Map<string, Buffer>();
  const sign = (purpose: string, text: string) => {
    const key = signingKeys.get(purpose) ?? derive(purpose);
    signingKeys.set(purpose, key);
    return createHmac("sha256", key).update(text).digest("base64url");
  };
  const nonceOf = (text: string, context: string) =>
    Buffer.from(sign("pseudonym-nonces", JSON.stringify([context, text])), "base64url").subarray(0, 16);
  return {
    sign,
    createPseudonym(text, context) {
      const nonce = nonceOf(text, context);
      const cipher = createCipheriv("aes-256-ctr", pseudonymKey, nonce);
      return Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final()]).toString("base64url");
    },
    readPseudonym(pseudonym, context) {
      const bytes = Buffer.from(pseudonym, "base64url");
      if (bytes.length < 17) return null;
      const nonce = bytes.subarray(0, 16);
      const decipher = createDecipheriv("aes-256-ctr", pseudonymKey, nonce);
      const text = Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString("utf8");
      return timingSafeEqual(nonce, nonceOf(text, context)) ? text : null;
    },
    verify: (purpose, text, signature) => equalsInConstantTime(sign(purpose, text), signature),
    encrypt(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", encryptionKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
    },
    decrypt(encrypted, context) {
      const bytes = Buffer.from(encrypted.slice(3), "base64url");
      const decipher = createDecipheriv("aes-256-gcm", encryptionKey, bytes.subarray(0, 12)).setAAD(
        Buffer.from(context),
      );
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}

/** Compares two strings in constant time. */
export function equalsInConstantTime(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The name of the file in the data directory that holds a generated FOYER_SECRET. */
export const secretFileName = "secret";

/** Reads the secret from the data directory, or creates it (mode 0600). Safe when several processes start at once. */
export function loadOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, secretFileName);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomBytes(32).toString("base64url"), { mode: 0o600 });
  try {
    // Creating a hard link is atomic and fails when the file exists, so exactly one process creates the secret.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, "utf8").trim();
}
