import { createHash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A new key: `fyr_`, 40 random base62 characters, 6 of checksum. The checksum lets secret scanners tell a real key. */
export function generateKey(): string {
  const body = Array.from({ length: 40 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return `fyr_${body}${checksum(body)}`;
}

/** False for a mistyped `fyr_…` key; keys of another form (set by FOYER_ADMIN_API_KEY) cannot be checked and pass. */
export function isPlausibleKey(key: string): boolean {
  const match = /^fyr_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/.exec(key);
  return !match || checksum(match[1] ?? "") === match[2];
}

/** hex SHA-256: keys are long and random, so a fast hash is as good as a slow one. */
export function hashKey(key: string): string {
  return createHash("sha256").update(key).digest("hex");
}

function checksum(body: string) {
  let rest = crc32(body);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = (alphabet[rest % 62] ?? "") + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
