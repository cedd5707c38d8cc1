import type { PassageSearch } from "./passage-search.ts";
import type { PassageHit, PassageQuery } from "./search-index.ts";

/** The best passages of an agent's enabled documents, best first, at most 3 of one document. `ms`: time taken. */
export async function searchPassages(
  { passageSearch }: { passageSearch: PassageSearch },
  query: PassageQuery,
): Promise<{ hits: PassageHit[]; ms: number }> {
  const startedAt = performance.now();
  const hits = await passageSearch.search(query);
  return { hits, ms: Math.round(performance.now() - startedAt) };
}
