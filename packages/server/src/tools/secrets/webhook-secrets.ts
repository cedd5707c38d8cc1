import { randomBytes } from "node:crypto";
import type { WebhookSecret } from "@foyer/contract";
import { LRUCache } from "lru-cache";
import type { ToolRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../errors.ts";
import { createWebhookSecretStore } from "./webhook-secret-store.ts";

/** How long the previous secret still signs after a rotation. */
const OVERLAP_MS = 86_400_000;

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

/** The secrets that sign a form's webhooks. A form has one, created on first use. */
export function createWebhookSecrets({ db, encryption }: Pick<Deps, "db" | "encryption">) {
  const store = createWebhookSecretStore(db);
  type Form = Pick<ToolRow, "id" | "agentId">;

  async function existing({ id, agentId }: Form) {
    const known = await store.get(id);
    if (known) return known;
    await store.insertIfNone({ toolId: id, agentId, secret: encryption.encrypt(newSecret(), id) });
    const made = await store.get(id);
    if (!made) throw new Error(`The form ${id} has no webhook secret.`);
    return made;
  }

  /** @returns the previous secret too, while it still signs */
  async function read(form: Form): Promise<WebhookSecret> {
    const { secret, previousSecret, rotatedAt } = await existing(form);
    const isOverlapping = rotatedAt !== null && Date.now() < rotatedAt + OVERLAP_MS;
    return {
      secret: encryption.decrypt(secret, form.id),
      previousSecret: previousSecret && isOverlapping ? encryption.decrypt(previousSecret, form.id) : null,
      rotatedAt: rotatedAt === null ? null : new Date(rotatedAt).toISOString(),
    };
  }

  /**
   * A form can have thousands of deliveries, so its secrets are cached. A rotation in another process takes effect
   * within a second.
   */
  const recent = new LRUCache<string, string[]>({ max: 1_000, ttl: 1_000 });

  return {
    read,
    async rotate(form: Form): Promise<WebhookSecret> {
      await existing(form);
      await store.rotate(form.id, encryption.encrypt(newSecret(), form.id), Date.now());
      recent.delete(form.id);
      return read(form);
    },
    /** The secrets that sign a delivery now, newest first. */
    async signing(form: Form): Promise<string[]> {
      const known = recent.get(form.id);
      if (known) return known;
      const { secret, previousSecret } = await read(form);
      const signing = previousSecret ? [secret, previousSecret] : [secret];
      recent.set(form.id, signing);
      return signing;
    },
  };
}

/** @throws 400 for a tool that is not a form */
export function checkIsForm(tool: ToolRow): ToolRow {
  if (tool.executionType !== "form") throw invalid("id", "is not a form. Only forms have webhooks", "not_allowed");
  return tool;
}

/** The format of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
function newSecret(): string {
  return `whsec_${randomBytes(32).toString("base64")}`;
}
