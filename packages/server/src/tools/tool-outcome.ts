import type { Source, VisitorForm } from "@foyer/contract";

/**
 * A passage that a search gave to the model, which cites it as `[n]`. `citation` says what visitors may see of it. The
 * other fields explain the search to members. Passages are stored with the reply, and earlier versions lack some
 * fields.
 */
export type NumberedPassage = Source & {
  citation: "link" | "title" | "hidden";
  documentId?: string;
  heading?: string | null;
  score?: number | null;
  /** words of the queries that the passage contains */
  matched?: string[];
  /** true once the model has cited it, even if its citations are hidden from visitors */
  isCited?: boolean;
};

/**
 * The outcome of a tool call. `forModel` (the text for the model), `passages` and `searchMs` are not sent to visitors.
 */
export type ToolOutcome = {
  result: unknown;
  isError: boolean;
  displayConfig: unknown;
  display: unknown;
  form?: VisitorForm;
  forModel: string;
  passages?: NumberedPassage[];
  /** duration of the search that found the passages */
  searchMs?: number;
};

/** The outcome of a failed call. The visitor and the model read the same message. */
export function failure(message: string): ToolOutcome {
  return { result: message, isError: true, displayConfig: null, display: null, forModel: message };
}
