import type { AgentSummary } from "@foyer/contract";
import type { Deps } from "../deps.ts";
import { createResponseCache } from "../http/answer-cache.ts";
import { toSummary } from "./columns.ts";
import { type AgentStore, createAgentStore, PAGE } from "./store.ts";

/** The maximum length of a list that is sent in one piece. */
const MAX_LENGTH = 64 * 1024;
const CACHE_BYTES = 16 * 1024 * 1024;

/** The response to `GET /agents`. `json` is null for a list that has to be sent in pages. */
type AgentList = { json: string | null };

/**
 * Creates the store of the agents, and a cache of each organization's list, which every change of its agents clears.
 */
export function createListedAgents(deps: Pick<Deps, "db" | "databaseKind" | "models">) {
  const store = createAgentStore(deps.db);
  const lists = createAgentLists(deps, store);
  // Clear the cache even after a failure, because the change may have been stored.
  const forgetAfter = <T>(organizationId: string, change: Promise<T>) =>
    change.finally(() => lists.forgetList(organizationId));
  const listed: AgentStore = {
    ...store,
    insert: (row, also) => forgetAfter(row.organizationId, store.insert(row, also)),
    update: (agent, changes) => forgetAfter(agent.organizationId, store.update(agent, changes)),
    hide: (organizationId, id, now) => forgetAfter(organizationId, store.hide(organizationId, id, now)),
  };
  return { store: listed, lists };
}

/**
 * The list of an organization's agents as JSON. On SQLite, where one process makes all changes, it is cached until
 * something in it changes. On PostgreSQL it is read for every request, because a client that has created an agent in
 * one process may ask another one for the list.
 */
function createAgentLists(
  { models, databaseKind }: Pick<Deps, "models" | "databaseKind">,
  store: Pick<AgentStore, "page" | "pages">,
) {
  const cache = createResponseCache<AgentList>({
    maxBytes: CACHE_BYTES,
    measureBytes: ({ json }) => 2 * (json?.length ?? 0),
  });

  async function read(organizationId: string): Promise<AgentList> {
    const modelId = await models.defaultFor(organizationId);
    const rows = await store.page(organizationId, "");
    if (rows.length === PAGE) return { json: null };
    const json = `{"data":${JSON.stringify(rows.map((row) => toSummary(row, modelId)))},"error":null}`;
    return { json: json.length < MAX_LENGTH ? json : null };
  }

  return {
    /** Yields pages, because an organization can have any number of agents. */
    async *list(organizationId: string): AsyncGenerator<AgentSummary[]> {
      const modelId = await models.defaultFor(organizationId);
      for await (const rows of store.pages(organizationId)) yield rows.map((row) => toSummary(row, modelId));
    },
    /** The list as JSON, which is null when it has to be sent in pages. */
    shortList: (organizationId: string): AgentList | Promise<AgentList> =>
      databaseKind === "sqlite" ? cache.get(organizationId, read) : read(organizationId),
    /** Call this when something in the list may have changed, such as the organization's default model. */
    forgetList: cache.forget,
  };
}
