import { reportTyping } from "@foyer/sdk";
import type { PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";

/** The server considers a report of typing valid for five seconds. */
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
    // A lost report does no harm, because the next one repeats it.
    reportTyping(request, current).catch(() => {});
  });
  signal.addEventListener("abort", stopWatching);
}
