import type { DocumentQuery } from "@foyer/contract";
import { searchTextLimits } from "@foyer/contract/rules/limits";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";

/** The search parameters of the list. Pages are counted from 1. */
export type KnowledgeSearch = { q?: string; state?: string; kind?: string; page?: number };

export const PAGE_SIZE = 20;

const documentKinds = ["text", "faq", "page", "file"] as const;
const states = ["queued", "processing", "ready", "failed"] as const;

/** The list request for the search parameters. */
export function listQuery(agentId: string, { q, state, kind, page = 1 }: KnowledgeSearch): DocumentQuery {
  return omitUndefined({
    agentId,
    limit: PAGE_SIZE,
    offset: (page - 1) * PAGE_SIZE,
    q: q?.trim().slice(0, searchTextLimits.documents) || undefined,
    state: states.find((name) => name === state),
    kind: documentKinds.find((name) => name === kind),
  });
}
