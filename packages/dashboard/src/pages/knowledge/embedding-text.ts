import type { Output } from "@foyer/sdk";

type Progress = Pick<Output<"getDocumentEmbeddings">, "passages" | "vectors" | "skipped">;

/** Describes the progress, such as "120 of 300 passages have vectors". */
export function describeEmbedding({ passages, vectors, skipped }: Progress): string {
  if (passages === 0) return "There are no passages to embed yet.";
  const counts = `${Math.min(vectors, passages).toLocaleString()} of ${passages.toLocaleString()}`;
  const text = `${counts} ${passages === 1 ? "passage has a vector" : "passages have vectors"}.`;
  if (skipped === 0) return text;
  return `${text} The provider rejected ${skipped === 1 ? "1 passage" : `${skipped.toLocaleString()} passages`}.`;
}
