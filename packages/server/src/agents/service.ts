import { randomBytes } from "node:crypto";
import type { Agent, AgentChanges, AgentCreate, AgentSummary } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { AgentRow, Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { invalid, notFound } from "../errors.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { isId, newId } from "../ids.ts";
import { columnDefaults, toAgent, toColumns, toSummary } from "./columns.ts";
import { copyImages } from "./image-store.ts";
import { createOriginCheck } from "./origin-check.ts";
import { defaultRetention } from "./retention.ts";
import { toSlug } from "./slug.ts";
import { type AgentStore, createAgentStore } from "./store.ts";

const COPY_SUFFIX = " (copy)";
/** The maximum length of a name in the contract. */
const MAX_NAME = 200;

/** Copies the contents of one agent to another within the transaction. */
export type CopyContent = (trx: Transaction<Tables>, fromAgentId: string, toAgentId: string) => Promise<void>;

export type AgentService = ReturnType<typeof createAgentService>;

/** `onChange` and `onDelete` are called once the change is committed; `onDelete` deletes what belongs to the agent. */
export function createAgentService(
  deps: Pick<Deps, "db" | "config" | "models" | "encryption">,
  onChange: (agentId: string) => void,
  onDelete: (agentId: string) => void | Promise<void>,
) {
  const { config, models, encryption } = deps;
  const store = createAgentStore(deps.db);

  async function findAgent(organizationId: string, id: string) {
    const row = isId("agent", id) ? await store.get(organizationId, id) : undefined;
    if (!row) throw notFound("Agent");
    return row;
  }

  const retention = defaultRetention(config);
  const present = async (row: AgentRow) =>
    toAgent(row, { modelId: await models.defaultFor(row.organizationId), retention });

  /** @throws 400 for a model that no provider or server could run, and for the agent's own model */
  function checkFallbackModels({ model, fallbackModels }: Pick<AgentRow, "model" | "fallbackModels">): void {
    const ids: string[] = JSON.parse(fallbackModels);
    for (const [index, id] of ids.entries()) {
      const path = `fallbackModels.${index}`;
      if (id === model) throw invalid(path, "must differ from the agent's own model");
      if (models.isKnownModel(id)) continue;
      throw invalid(path, "must be `provider/model` with a model provider of this server or organization");
    }
  }

  return {
    ...createOriginCheck(),
    /** Yields pages, because an organization can have any number of agents. */
    async *list(organizationId: string): AsyncGenerator<AgentSummary[]> {
      const modelId = await models.defaultFor(organizationId);
      for await (const rows of store.pages(organizationId)) yield rows.map((row) => toSummary(row, modelId));
    },
    async get(organizationId: string, id: string): Promise<Agent> {
      return present(await findAgent(organizationId, id));
    },
    /** The agent for the chat. @throws 404 */
    async getPublic(id: string): Promise<AgentRow> {
      const row = isId("agent", id) ? await store.getPublic(id) : undefined;
      if (!row) throw notFound("Agent");
      return row;
    },
    async create(organizationId: string, input: AgentCreate, keep?: SaveResponse): Promise<Agent> {
      const id = newId("agent");
      const now = Date.now();
      const columns = toColumns(input);
      checkFallbackModels({ ...columnDefaults, ...columns });
      const modelId = await models.defaultFor(organizationId);
      const slug = await toSlug(input.name);
      const toRow = (freeSlug: string): AgentRow => ({
        ...columnDefaults,
        ...columns,
        id,
        organizationId,
        name: input.name,
        slug: freeSlug,
        createdAt: now,
        updatedAt: now,
        identitySecret: encryption.encrypt(newIdentitySecret(), id),
      });
      const toAnswer = (row: AgentRow) => toAgent(row, { modelId, retention });
      const row = await store.insert(
        { organizationId, slug },
        toRow,
        keep && ((trx, inserted) => keep(trx, id, toAnswer(inserted))),
      );
      return toAnswer(row);
    },
    /**
     * Copies the agent with its images under a free slug and a name that ends in "(copy)". `copyContent` copies its
     * tools and triggers in the same transaction. The copy has its own secret for signing identities.
     */
    async duplicate(organizationId: string, id: string, copyContent: CopyContent): Promise<Agent> {
      const source = await findAgent(organizationId, id);
      const name = `${source.name.slice(0, MAX_NAME - COPY_SUFFIX.length)}${COPY_SUFFIX}`;
      const slug = await toSlug(name);
      const copyId = newId("agent");
      const identitySecret = encryption.encrypt(newIdentitySecret(), copyId);
      const now = Date.now();
      const toRow = (freeSlug: string): AgentRow => ({
        ...source,
        id: copyId,
        name,
        slug: freeSlug,
        identitySecret,
        createdAt: now,
        updatedAt: now,
      });
      const row = await store.insert({ organizationId, slug }, toRow, async (trx) => {
        await copyImages(trx, id, copyId);
        await copyContent(trx, id, copyId);
      });
      return present(row);
    },
    async update(organizationId: string, id: string, input: AgentChanges): Promise<Agent> {
      for (;;) {
        const row = await findAgent(organizationId, id);
        const changes = { ...toColumns(input, row), updatedAt: Date.now() };
        const expected = { organizationId, id, ...(input.handoff === undefined ? {} : { handoff: row.handoff }) };
        if (input.fallbackModels !== undefined || input.model !== undefined) {
          checkFallbackModels({ ...row, ...changes });
        }
        const { name = row.name } = input;
        const updated = await (name === row.name
          ? store.update(expected, changes)
          : store.rename(expected, { ...changes, name, slug: await toSlug(name) }));
        // No row was updated: a concurrent request has changed other handoff settings, so try again, or has deleted the
        // agent.
        if (!updated) continue;
        onChange(id);
        return present(updated);
      }
    },
    async delete(organizationId: string, id: string): Promise<void> {
      const isHidden = isId("agent", id) && (await store.hide(organizationId, id, Date.now()));
      if (!isHidden) throw notFound("Agent");
      onChange(id);
      await onDelete(id);
    },
    ...createIdentitySecrets(store, encryption, findAgent),
  };
}

/** Reads and replaces the secret that a site's server uses to sign its visitors' ids. */
function createIdentitySecrets(
  store: AgentStore,
  encryption: Deps["encryption"],
  findAgent: (organizationId: string, id: string) => Promise<AgentRow>,
) {
  return {
    async identitySecret(organizationId: string, id: string): Promise<string> {
      return encryption.decrypt((await findAgent(organizationId, id)).identitySecret, id);
    },
    async rotateIdentitySecret(organizationId: string, id: string): Promise<string> {
      await findAgent(organizationId, id);
      const identitySecret = newIdentitySecret();
      await store.update(
        { organizationId, id },
        {
          identitySecret: encryption.encrypt(identitySecret, id),
          updatedAt: Date.now(),
        },
      );
      return identitySecret;
    },
  };
}

const newIdentitySecret = () => `fis_${randomBytes(32).toString("base64url")}`;
