import { hash, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/**
 * Generates a key: `fyr_`, 40 random base62 characters, and a checksum of 6 characters, which lets secret scanners
 * recognize a real key.
 */
export function generateKey(): string {
  const body = Array.from({ length: 40 }, () => alphabet[randomInt(alphabet.length)]).join("");
  return `fyr_${body}${computeChecksum(body)}`;
}

/**
 * Returns false for a mistyped `fyr_…` key. Keys in other formats, which FOYER_ADMIN_API_KEY allows, cannot be checked
 * and pass.
 */
export function isPlausibleKey(key: string): boolean {
  const match = /^fyr_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/.exec(key);
  return !match || computeChecksum(match[1] ?? "") === match[2];
}

/** Returns the hex SHA-256 of a key. Keys are long and random, so a slow password hash would not improve security. */
export function hashKey(key: string): string {
  return hash("sha256", key, "hex");
}

function computeChecksum(body: string) {
  let rest = crc32(body);
  let digits = "";
  for (let i = 0; i < 6; i++) {
    digits = (alphabet[rest % 62] ?? "") + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
