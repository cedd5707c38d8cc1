import { randomBytes } from "node:crypto";
import type { Agent, AgentChanges, AgentCreate, AgentSummary, VersionAuthor } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { AgentRow, Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import type { SaveResponse } from "../http/idempotency.ts";
import { isId, newId } from "../ids.ts";
import { columnDefaults, toAgent, toColumns, toSummary, unversioned } from "./columns.ts";
import { withDraft } from "./draft-columns.ts";
import type { Drafts, Editor } from "./editor.ts";
import { copyImages } from "./image-store.ts";
import { createOriginCheck } from "./origin-check.ts";
import { checkReferences } from "./references.ts";
import { defaultRetention } from "./retention.ts";
import { toSlug } from "./slug.ts";
import { type AgentStore, createAgentStore } from "./store.ts";

const COPY_SUFFIX = " (copy)";
/** The maximum length of a name in the contract. */
const MAX_NAME = 200;

type Change = { input: AgentChanges; editor: Editor };

/** Copies the contents of one agent to another within the transaction. */
export type CopyContent = (
  trx: Transaction<Tables>,
  agents: { organizationId: string; from: string; to: string },
) => Promise<void>;

export type AgentService = ReturnType<typeof createAgentService>;

type Parts = {
  drafts: Drafts;
  /** called once a change is committed */
  onChange(agentId: string): void;
  /** called once the agent is hidden; deletes what belongs to it */
  onDelete(agentId: string): void | Promise<void>;
};

export function createAgentService(
  deps: Pick<Deps, "db" | "config" | "models" | "encryption">,
  { drafts, onChange, onDelete }: Parts,
) {
  const { config, models, encryption } = deps;
  const store = createAgentStore(deps.db);

  async function findAgent(organizationId: string, id: string): Promise<AgentRow> {
    const row = isId("agent", id) ? await store.get(organizationId, id) : undefined;
    if (!row) throw notFound("Agent");
    if (row.liveHash !== null) return row;
    await drafts.beginLate(row);
    return findAgent(organizationId, id);
  }

  async function getPublic(id: string): Promise<AgentRow> {
    const row = isId("agent", id) ? await store.getPublic(id) : undefined;
    if (!row) throw notFound("Agent");
    return row;
  }

  const retention = defaultRetention(config);
  const present = async (row: AgentRow) =>
    toAgent(withDraft(row), { modelId: await models.defaultFor(row.organizationId), retention });

  /** The columns that `input` changes. `row` is undefined for a new agent. @throws 400 */
  async function prepare(organizationId: string, input: AgentChanges, row?: AgentRow): Promise<Partial<AgentRow>> {
    const columns = toColumns(input, row);
    await checkReferences(deps.db, { organizationId, before: row, columns }, await models.modelRules(organizationId));
    return columns;
  }

  function toNewRow(organizationId: string, { name, slug }: Pick<AgentRow, "name" | "slug">): AgentRow {
    const id = newId("agent");
    const now = Date.now();
    return {
      ...columnDefaults,
      id,
      organizationId,
      name,
      slug,
      createdAt: now,
      updatedAt: now,
      identitySecret: encryption.encrypt(newIdentitySecret(), id),
    };
  }

  return {
    ...createOriginCheck(),
    prepare,
    /** The agent of the organization with this id, as visitors get it, if there is one. */
    async findOwn(organizationId: string, id: string): Promise<AgentRow | undefined> {
      return isId("agent", id) ? store.get(organizationId, id) : undefined;
    },
    /** The agent of the organization with this slug, as visitors get it. */
    async findBySlug(organizationId: string, slug: string): Promise<AgentRow | undefined> {
      const row = await store.bySlug(organizationId, slug);
      return row && findAgent(organizationId, row.id);
    },
    /**
     * Inserts an agent with these columns within a transaction. It has no version until `drafts.begin`.
     * @returns undefined when another agent has the slug
     */
    async insertIn(
      trx: Transaction<Tables>,
      { organizationId, name, slug }: Pick<AgentRow, "organizationId" | "name" | "slug">,
      columns: Partial<AgentRow>,
    ): Promise<AgentRow | undefined> {
      const row = { ...toNewRow(organizationId, { name, slug }), ...columns };
      const inserted = await store.insertIn(trx, { organizationId, slug }, (freeSlug) => ({ ...row, slug: freeSlug }));
      return inserted.slug === slug ? inserted : undefined;
    },
    /** Yields pages, because an organization can have any number of agents. */
    async *list(organizationId: string): AsyncGenerator<AgentSummary[]> {
      const modelId = await models.defaultFor(organizationId);
      for await (const rows of store.pages(organizationId)) yield rows.map((row) => toSummary(row, modelId));
    },
    async get(organizationId: string, id: string): Promise<Agent> {
      return present(await findAgent(organizationId, id));
    },
    /** The agent for the chat. @throws 404 */
    getPublic,
    /** The agent with a live version that will never change again, for a reply to a visitor. @throws 404 */
    async use(agent: AgentRow): Promise<AgentRow> {
      for (let row = agent; ; row = await getPublic(agent.id)) {
        if (row.liveIsUsed === 1) return row;
        if (row.liveHash === null) await drafts.beginLate(row);
        else if (await store.markUsed(row)) return { ...row, liveIsUsed: 1 };
      }
    },
    /** `by` is null for the server itself. */
    async create(
      organizationId: string,
      input: AgentCreate,
      { by, keep }: { by: VersionAuthor | null; keep?: SaveResponse | undefined },
    ): Promise<Agent> {
      const columns = await prepare(organizationId, input);
      const modelId = await models.defaultFor(organizationId);
      const slug = await toSlug(input.name);
      const row = { ...toNewRow(organizationId, { name: input.name, slug }), ...columns };
      const toRow = (freeSlug: string): AgentRow => ({ ...row, slug: freeSlug });
      return store.insert({ organizationId, slug }, toRow, async (trx, inserted) => {
        const agent = toAgent({ ...inserted, ...(await drafts.begin(trx, inserted, by)) }, { modelId, retention });
        await keep?.(trx, row.id, agent);
        return agent;
      });
    },
    /**
     * Copies the agent with its images under a free slug and a name that ends in "(copy)". `copyContent` copies its
     * tools, triggers and tests in the same transaction. The copy has its own secret for signing identities.
     */
    async duplicate(
      organizationId: string,
      id: string,
      { by, copyContent }: { by: VersionAuthor; copyContent: CopyContent },
    ): Promise<Agent> {
      const source = withDraft(await findAgent(organizationId, id));
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
        ...unversioned,
        createdAt: now,
        updatedAt: now,
      });
      const row = await store.insert({ organizationId, slug }, toRow, async (trx, inserted) => {
        await copyImages(trx, source, copyId);
        await copyContent(trx, { organizationId, from: id, to: copyId });
        return { ...inserted, ...(await drafts.begin(trx, inserted, by)) };
      });
      return present(row);
    },
    async update(organizationId: string, id: string, { input, editor }: Change): Promise<Agent> {
      if (!isId("agent", id)) throw notFound("Agent");
      const slug = input.name === undefined ? undefined : await toSlug(input.name);
      const rules = await models.modelRules(organizationId);
      await drafts.edit({ organizationId, agentId: id, editor }, (trx) =>
        store.change(trx, { organizationId, id }, async (row) => {
          const columns = toColumns(input, row);
          await checkReferences(trx, { organizationId, before: row, columns }, rules);
          const changes = { ...columns, updatedAt: Date.now() };
          const { name = row.name } = input;
          return name === row.name || slug === undefined ? changes : { ...changes, name, slug };
        }),
      );
      onChange(id);
      return present(await findAgent(organizationId, id));
    },
    async delete(organizationId: string, id: string, editor: Editor): Promise<void> {
      if (!isId("agent", id)) throw notFound("Agent");
      await drafts.edit({ organizationId, agentId: id, editor }, async (_, trx) => {
        if (!(await store.hide(trx, { organizationId, id }, Date.now()))) throw notFound("Agent");
      });
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
