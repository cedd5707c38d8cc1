import type { PassageSearch } from "./passage-search.ts";
import type { PassageHit, PassageQuery } from "./search-index.ts";
import type { Meaning } from "./search-vectors.ts";

/**
 * Most providers embed a question in less time than this, in milliseconds. After it, the search by words runs while the
 * embedding continues.
 */
const PROMPT_MS = 200;

type Question = Pick<PassageQuery, "organizationId" | "agentId" | "queries">;

export type SearchDeps = {
  passageSearch: Pick<PassageSearch, "search">;
  /** Returns the questions' vectors, or null when the search uses words alone. */
  embedQueries(question: Question): Promise<Meaning | null>;
};

/** Finds the best passages of an agent's enabled documents, best first, at most 3 per document. `ms`: duration. */
export async function searchPassages(
  deps: SearchDeps,
  query: PassageQuery,
): Promise<{ hits: PassageHit[]; ms: number }> {
  const startedAt = performance.now();
  const hits = await search(deps, query);
  return { hits, ms: Math.round(performance.now() - startedAt) };
}

/**
 * Searches by meaning if the question's vectors arrive in time. A provider that is slow or fails delays the search only
 * by its time limit, because the search by words is finished by then. The search by words does not start earlier,
 * because every search by meaning would then occupy the search thread twice.
 */
async function search({ passageSearch, embedQueries }: SearchDeps, query: PassageQuery): Promise<PassageHit[]> {
  const embedding = embedQueries(query);
  const prompt = await Promise.race([embedding, lateAfter(PROMPT_MS)]);
  if (prompt !== "late") return passageSearch.search({ ...query, meaning: prompt });
  const [byWords, meaning] = await Promise.all([passageSearch.search(query), embedding]);
  return meaning === null ? byWords : passageSearch.search({ ...query, meaning });
}

function lateAfter(ms: number): Promise<"late"> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, "late").unref();
  });
}
