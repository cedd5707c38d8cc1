import type { VisitorForm } from "@foyer/contract";

/** The outcome of a tool call. The visitor gets all of it but `forModel`, which is the text for the model. */
export type ToolOutcome = {
  result: unknown;
  isError: boolean;
  displayConfig: unknown;
  display: unknown;
  form?: VisitorForm;
  forModel: string;
};

/** The outcome of a failed call. The visitor and the model read the same message. */
export function failure(message: string): ToolOutcome {
  return { result: message, isError: true, displayConfig: null, display: null, forModel: message };
}
