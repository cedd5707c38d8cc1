import type { PassageSearch } from "./passage-search.ts";
import type { PassageHit, PassageQuery } from "./search-index.ts";
import type { Meaning } from "./search-vectors.ts";

type Question = Pick<PassageQuery, "organizationId" | "agentId" | "queries">;

export type SearchDeps = {
  passageSearch: Pick<PassageSearch, "search">;
  /** The questions' vectors, or null when the search is by words alone. */
  embedQueries(question: Question): Promise<Meaning | null>;
};

/** Finds the best passages of an agent's enabled documents, best first, at most 3 per document. `ms`: duration. */
export async function searchPassages(
  { passageSearch, embedQueries }: SearchDeps,
  query: PassageQuery,
): Promise<{ hits: PassageHit[]; ms: number }> {
  const startedAt = performance.now();
  const hits = await passageSearch.search({ ...query, meaning: await embedQueries(query) });
  return { hits, ms: Math.round(performance.now() - startedAt) };
}
