import type { Encryption } from "../encryption.ts";
import type { NumberedPassage } from "../tools/tool-outcome.ts";
import { describePassages, type Found, markCited, toNumbered } from "./describe-passages.ts";

/** The limits within which all documents of an agent become part of the prompt. Larger collections are searched. */
export const promptLimits = { documents: 50, chunks: 100, characters: 6_000 } as const;

/**
 * The text of all documents of an agent, as part of its instructions. The passages are numbered like search results.
 */
export type KnowledgePrefix = {
  kind: "prefix";
  /** appended to the agent's instructions */
  text: string;
  passages: NumberedPassage[];
  /**
   * Marks the passage with this number as cited.
   * @returns whether visitors may see the citation
   */
  cite(n: number): boolean;
};

/**
 * Builds the prompt text. The delimiter is a keyed hash of the passages: no document can contain it, and it stays the
 * same until a document changes, so providers can cache the prompt.
 */
export function createKnowledgePrefix(
  encryption: Pick<Encryption, "sign">,
  agentId: string,
  found: readonly Found[],
): KnowledgePrefix {
  const numbered = found.map((passage, index) => ({ ...passage, n: index + 1 }));
  const signature = encryption.sign("document-delimiter", JSON.stringify([agentId, numbered]));
  const delimiter = `passage-${Buffer.from(signature, "base64url").toString("hex").slice(0, 12)}`;
  const passages = numbered.map((passage) => toNumbered(passage, passage.n));
  return {
    kind: "prefix",
    text: describePassages(numbered, delimiter),
    passages,
    cite: (n) => markCited(passages, n),
  };
}
