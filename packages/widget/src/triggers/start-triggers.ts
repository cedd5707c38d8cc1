import type { WidgetTrigger } from "@foyer/contract";
import { askServer } from "../loader/ask-server.ts";
import { loadPart } from "../loader/load-part.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Acting } from "./acting/act-on-triggers.ts";
import { watchExit } from "./exit-intent.ts";
import { createFiredTriggers } from "./fired-triggers.ts";
import { watchPageViews } from "./page-views.ts";
import { scrollDepth } from "./scroll-depth.ts";
import { createTriggerEngine } from "./trigger-engine.ts";
import { createVisibleTime } from "./visible-time.ts";

/** Milliseconds between two looks at the time, the page's address and its length. */
const STEP_MS = 500;
/** The newest events wait for the triggers to be there, and can be looked at. */
const MOST_EVENTS = 100;

export type Triggers = Awaited<ReturnType<typeof startTriggers>>;

/**
 * Watches for what an agent's triggers wait for, once the page is loaded and has nothing else to do. Null when there are
 * none, or they cannot be had: the page goes on without.
 */
export async function startTriggers(core: WidgetCore) {
  const { bus, signal } = core;
  const visible = createVisibleTime();
  const events: Array<{ name: string; data: unknown }> = [];
  bus.on("track", (event) => {
    if (events.push(event) > MOST_EVENTS) events.shift();
  });
  const passive = { passive: true, capture: true, signal };
  const follow = () => visible.setVisible(!document.hidden);
  addEventListener("visibilitychange", follow, passive);
  follow();
  await untilIdle();
  if (signal.aborted) return null;
  // Before the server is asked, so that other tabs have answered by then.
  const fired = createFiredTriggers(core);
  const triggers = await askServer<WidgetTrigger[]>(core.options, `/triggers/widget/${core.agent.id}`, signal);
  if (!triggers?.length || signal.aborted) return null;

  let loading: Promise<Acting> | undefined;
  let acting: Acting | undefined;
  const load = async () => {
    loading ??= loadPart(core, "acting").then(({ actOnTriggers }) =>
      actOnTriggers(core, ({ id }) => {
        engine.rest();
        fired.add(id);
      }),
    );
    // What could not be loaded can be tried again.
    acting = await loading.catch(() => (loading = undefined));
    return acting;
  };
  const engine = createTriggerEngine(triggers, {
    visible,
    fired,
    depth: scrollDepth,
    now: () => performance.now(),
    path: () => location.pathname,
    isOpen: () => core.panel.isOpen,
    isBusy: () => document.hidden || !!core.shadow.host.hidden || !!acting?.isHeld(),
    fits: async (conditions, data) => (await load())?.fits(conditions, data) ?? false,
    perform: async (trigger) => {
      const { pathname } = location;
      const part = await load();
      // Loading takes a while, and it was meant for the page before.
      return (pathname === location.pathname && part?.perform(trigger)) || false;
    },
    onFired: (trigger) => acting?.count(trigger),
  });
  const checkPage = watchPageViews(() => {
    acting?.clear();
    engine.restart();
  }, signal);
  watchExit(engine.leave, signal);
  addEventListener("scroll", engine.scrolled, { passive: true, signal });
  addEventListener("input", engine.typed, passive);
  bus.on("track", ({ name, data }) => void engine.track(name, data));
  const timer = setInterval(() => {
    checkPage();
    engine.step();
  }, STEP_MS);
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    acting?.clear();
  });
  // What another page could not report.
  if (core.storage.read("session", "reports")) void load();
  for (const { name, data } of events) void engine.track(name, data);
  engine.step();
  return { engine, fired, visible, events, load, acting: () => acting };
}

/** Resolves when the page is seen, loaded, and has time. */
async function untilIdle() {
  const once = (target: EventTarget, name: string) =>
    new Promise((resolve) => target.addEventListener(name, resolve, { once: true }));
  if ((document as { prerendering?: boolean }).prerendering) await once(document, "prerenderingchange");
  if (document.readyState !== "complete") await once(window, "load");
  await new Promise((resolve) => (globalThis.requestIdleCallback ?? setTimeout)(resolve));
}
