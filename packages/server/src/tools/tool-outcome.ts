import type { Source, VisitorForm } from "@foyer/contract";

/** A passage that a search gave to the model, which cites it as `[n]`. `citation` says what visitors may see of it. */
export type NumberedPassage = Source & { citation: "link" | "title" | "hidden" };

/** The outcome of a tool call. The visitor receives all of it except `forModel` (the text for the model) and `passages`. */
export type ToolOutcome = {
  result: unknown;
  isError: boolean;
  displayConfig: unknown;
  display: unknown;
  form?: VisitorForm;
  forModel: string;
  passages?: NumberedPassage[];
};

/** The outcome of a failed call. The visitor and the model read the same message. */
export function failure(message: string): ToolOutcome {
  return { result: message, isError: true, displayConfig: null, display: null, forModel: message };
}
