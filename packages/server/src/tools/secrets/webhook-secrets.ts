import type { WebhookSecret } from "@foyer/contract";
import { LRUCache } from "lru-cache";
import type { ToolRow } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { invalid } from "../../errors.ts";
import { createSigningSecret, listActiveSecrets, readSigningSecret } from "../../outbox/signing-secret.ts";
import { createWebhookSecretStore } from "./webhook-secret-store.ts";

export type WebhookSecrets = ReturnType<typeof createWebhookSecrets>;

/** The secrets that sign a form's webhooks. A form has one, created on first use. */
export function createWebhookSecrets({ db, encryption }: Pick<Deps, "db" | "encryption">) {
  const store = createWebhookSecretStore(db);
  type Form = Pick<ToolRow, "id" | "agentId">;

  async function existing({ id, agentId }: Form) {
    const known = await store.get(id);
    if (known) return known;
    await store.insertIfNone({ toolId: id, agentId, secret: encryption.encrypt(createSigningSecret(), id) });
    const made = await store.get(id);
    if (!made) throw new Error(`The form ${id} has no webhook secret.`);
    return made;
  }

  /** @returns the current secret and, while it is still used for signing, the previous one */
  async function read(form: Form): Promise<WebhookSecret> {
    return readSigningSecret(await existing(form), encryption, form.id);
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
      await store.rotate(form.id, encryption.encrypt(createSigningSecret(), form.id), Date.now());
      recent.delete(form.id);
      return read(form);
    },
    /** The secrets that sign a delivery now, newest first. */
    async signing(form: Form): Promise<string[]> {
      const known = recent.get(form.id);
      if (known) return known;
      const signing = listActiveSecrets(await read(form));
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
