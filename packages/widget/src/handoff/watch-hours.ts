import type { WidgetHandoff } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import { getWidget } from "@foyer/sdk";
import type { PanelContext } from "../panel/panel-context.ts";

/** Timers are limited to a day, because browsers run a timer with a delay of more than 24 days immediately. */
/**
 * The time after the office opens, in milliseconds, over which the pages of all waiting visitors spread their requests
 * for the hours.
 */
const SPREAD_MS = 60_000;

/**
 * Keeps the office hours up to date, because the office may open or close while the page is open: reads them when the
 * visitor begins to wait, when a waiting visitor returns to the page, and when the office should open.
 * @returns a function that reads them now
 */
export function watchHours(
  { core: { agent }, request, chat }: Pick<PanelContext, "core" | "request" | "chat">,
  onSettings: (settings: WidgetHandoff | null) => void,
  signal: AbortSignal,
): () => void {
  let isWaiting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const read = () => {
    clearTimeout(timer);
    getWidget(request, agent.id).then(
      ({ handoff }) => {
        if (signal.aborted) return;
        onSettings(handoff);
        const wait = Date.parse(handoff?.opensAt ?? "") - Date.now() + 1_000 + Math.random() * SPREAD_MS;
        clearTimeout(timer);
        if (isWaiting && wait > 0) timer = setTimeout(read, Math.min(wait, DAY_MS));
      },
      () => {},
    );
  };
  const onChat = () => {
    const wasWaiting = isWaiting;
    isWaiting = chat.store.get().ownership?.handler === "waiting";
    if (isWaiting && !wasWaiting) read();
    if (!isWaiting) clearTimeout(timer);
  };
  signal.addEventListener("abort", chat.store.watch(onChat));
  signal.addEventListener("abort", () => clearTimeout(timer));
  addEventListener("visibilitychange", () => isWaiting && !document.hidden && read(), { capture: true, signal });
  onChat();
  return read;
}
