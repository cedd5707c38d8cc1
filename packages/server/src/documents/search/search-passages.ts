import type { Deps } from "../../deps.ts";

export type PassageQuery = {
  organizationId: string;
  agentId: string;
  /** 1 to 3 questions; a passage counts for the one that it answers best */
  queries: readonly string[];
  /** 1 to 50; 6 by default */
  limit?: number;
  /** ISO 639-1 codes; by default those of the agent's documents */
  languages?: readonly string[];
};

export type PassageHit = {
  documentId: string;
  /** names the chunk of this version of the document */
  chunkId: string;
  ordinal: number;
  /** of a FAQ entry, its question */
  heading: string | null;
  page: number | null;
  text: string;
  /** 0 to 1: how much of the question the passage covers */
  score: number;
  /** the words of the question that were found, as the question has them */
  matched: string[];
};

/** The best passages of an agent's enabled documents, best first, at most 3 of one document. `ms`: time taken. */
export async function searchPassages(
  _deps: Pick<Deps, "db">,
  _query: PassageQuery,
): Promise<{ hits: PassageHit[]; ms: number }> {
  throw new Error("not implemented");
}
