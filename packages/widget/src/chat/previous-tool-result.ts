import type { VisitorForm } from "@foyer/sdk";
import type { Entry } from "./conversation-state.ts";

/** What the last tool before this form found, in the same reply or an earlier one; null when there was none. */
export function resultBefore(entries: readonly Entry[], form: VisitorForm): unknown {
  let result: unknown = null;
  for (const entry of entries) {
    if (entry.type === "form" && entry.form === form) return result;
    if (entry.type !== "reply") continue;
    for (const piece of entry.pieces) {
      if (piece.type !== "tool") continue;
      if (piece.form === form) return result;
      if (piece.state === "done" && !piece.form) result = piece.result;
    }
  }
  return result;
}
