import type { WidgetTrigger } from "@foyer/contract";
import { requestFromServer } from "../loader/ask-server.ts";
import type { PageCore } from "../loader/widget-core.ts";
import { createVisibleTime } from "../triggers/visible-time.ts";
import type { Triggers } from "../triggers/watch-triggers.ts";
import { loadPart } from "./load-part.ts";

/** The maximum number of events that are kept until the triggers have loaded, and for the debug overlay. */
const MAX_EVENTS = 100;

/**
 * Requests the agent's triggers once the page is loaded and idle, and loads the code that watches for them. Returns
 * null without triggers, or if the triggers or that code could not be loaded.
 */
export async function startTriggers(core: PageCore): Promise<Triggers | null> {
  const { bus, signal } = core;
  const visible = createVisibleTime();
  const events: Array<{ name: string; data: unknown }> = [];
  bus.on("track", (event) => {
    if (events.push(event) > MAX_EVENTS) events.shift();
  });
  const follow = () => visible.setVisible(!document.hidden);
  addEventListener("visibilitychange", follow, { capture: true, signal });
  follow();
  await waitUntilIdle();
  if (signal.aborted) return null;
  // Created before the request, so that other tabs have replied by the time the request completes.
  const session = await loadPart(core, "visitor").catch(() => null);
  const fired = session?.createFiredTriggers(core);
  const triggers = await requestFromServer<WidgetTrigger[]>(core, `/triggers/widget/${core.agent.id}`, signal);
  if (!triggers?.length || signal.aborted) return null;
  const part = await loadPart(core, "triggers").catch(() => null);
  if (!part || !fired || signal.aborted) return null;
  return part.watchTriggers(core, { triggers, visible, fired, events, loadActions: () => loadPart(core, "actions") });
}

/** Resolves when the page is visible, loaded and idle. Waits at most 5 seconds for the page to become idle. */
async function waitUntilIdle() {
  const once = (target: EventTarget, name: string) =>
    new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
  if ((document as { prerendering?: boolean }).prerendering) await once(document, "prerenderingchange");
  if (document.readyState !== "complete") await once(window, "load");
  await new Promise<unknown>((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(resolve, { timeout: 5_000 });
    else setTimeout(resolve);
  });
}
