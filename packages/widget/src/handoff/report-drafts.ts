import { reportTyping } from "@foyer/sdk";
import type { PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";

/** Typing counts for five seconds on the server. */
const REPEAT_MS = 3_000;

/** Tells the person who has the conversation that the visitor is typing, without the text. */
export function reportDrafts({ core, request, chat }: PanelContext, panelState: PanelState, signal: AbortSignal): void {
  let before = panelState.get().draft;
  let reportedAt = 0;
  const stopWatching = panelState.watch(() => {
    const { draft } = panelState.get();
    const isTyping = draft !== before && draft.trim() !== "";
    before = draft;
    const { current } = core.visitor;
    if (!isTyping || !current || chat.store.get().ownership?.handler !== "human") return;
    if (Date.now() - reportedAt < REPEAT_MS) return;
    reportedAt = Date.now();
    // Only a hint, which the next report repeats.
    reportTyping(request, current).catch(() => {});
  });
  signal.addEventListener("abort", stopWatching);
}
