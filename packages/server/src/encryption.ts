import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** What FOYER_SECRET is used for; each purpose has a key of its own, derived from the secret. */
export type Secrets = {
  /** AES-256-GCM; the result is text. `context` (an id) must be the same to open it. */
  seal(plain: string, context: string): string;
  /** @throws when the text was changed, or sealed with another secret or context */
  open(sealed: string, context: string): string;
  /** base64url HMAC-SHA256, for tokens */
  sign(purpose: string, text: string): string;
  verify(purpose: string, text: string, signature: string): boolean;
};

export function createSecrets(rootSecret: string): Secrets {
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", rootSecret, "", `foyer:${purpose}`, 32));
  const sealingKey = derive("encryption-at-rest");
  const signingKeys = new Map<string, Buffer>();
  const sign = (purpose: string, text: string) => {
    const key = signingKeys.get(purpose) ?? derive(purpose);
    signingKeys.set(purpose, key);
    return createHmac("sha256", key).update(text).digest("base64url");
  };
  return {
    sign,
    verify: (purpose, text, signature) => sameText(sign(purpose, text), signature),
    seal(plain, context) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce).setAAD(Buffer.from(context));
      const body = Buffer.concat([cipher.update(plain, "utf8"), cipher.final()]);
      return `v1.${Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url")}`;
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed.slice(3), "base64url");
      const decipher = createDecipheriv("aes-256-gcm", sealingKey, bytes.subarray(0, 12)).setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
  };
}

/** Compares without telling by time where the texts differ. */
export function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** The name of the file in the data directory that holds a generated FOYER_SECRET. */
export const secretFileName = "secret";

/** Reads the data directory's secret, or makes it (mode 0600) when there is none. Safe when processes start at once. */
export function loadOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, secretFileName);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomBytes(32).toString("base64url"), { mode: 0o600 });
  try {
    // A link appears whole or not at all, and only the first process makes it.
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, "utf8").trim();
}
