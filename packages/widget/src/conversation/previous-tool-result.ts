import type { VisitorForm } from "@foyer/sdk";
import type { Entry } from "./conversation-state.ts";

/** The result of the last tool call before this form, in the same reply or an earlier one. Null without one. */
export function findPreviousToolResult(entries: readonly Entry[], form: VisitorForm): unknown {
  let result: unknown = null;
  for (const entry of entries) {
    if (entry.type === "form" && entry.form === form) return result;
    if (entry.type !== "reply") continue;
    for (const part of entry.parts) {
      if (part.type !== "tool") continue;
      if (part.form === form) return result;
      if (part.state === "done" && !part.form) result = part.result;
    }
  }
  return result;
}
