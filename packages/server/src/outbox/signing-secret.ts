import { randomBytes } from "node:crypto";
import type { WebhookSecret } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import type { Encryption } from "../encryption.ts";

/** How long the previous secret is still used for signing after a rotation, in milliseconds. */
const OVERLAP_MS = DAY_MS;

type StoredSecret = { secret: string; previousSecret: string | null; rotatedAt: number | null };

/** Creates a secret in the format of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function createSigningSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}

/**
 * Decrypts a signing secret, and the previous one while it is still used for signing.
 * @param owner the id of the webhook or form, to which the encryption is bound
 */
export function readSigningSecret(stored: StoredSecret, encryption: Encryption, owner: string): WebhookSecret {
  const { secret, previousSecret, rotatedAt } = stored;
  const isOverlapping = rotatedAt !== null && Date.now() < rotatedAt + OVERLAP_MS;
  return {
    secret: encryption.decrypt(secret, owner),
    previousSecret: previousSecret && isOverlapping ? encryption.decrypt(previousSecret, owner) : null,
    rotatedAt: rotatedAt === null ? null : new Date(rotatedAt).toISOString(),
  };
}

/** Returns the secrets that currently sign requests, newest first. */
export function listActiveSecrets({ secret, previousSecret }: WebhookSecret): string[] {
  return previousSecret ? [secret, previousSecret] : [secret];
}
