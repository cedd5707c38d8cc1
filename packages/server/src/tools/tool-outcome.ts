import type { ToolOutcome } from "./run-tool.ts";

/** The outcome of a call that did not work; the visitor and the model read the same message. */
export function failure(message: string): ToolOutcome {
  return { result: message, isError: true, displayConfig: null, display: null, forModel: message };
}
