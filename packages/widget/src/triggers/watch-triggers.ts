import type { WidgetTrigger } from "@foyer/contract";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Acting, actOnTriggers } from "./actions/run-actions.ts";
import { watchExit } from "./exit-intent.ts";
import type { FiredTriggers } from "./fired-triggers.ts";
import { watchPageViews } from "./page-views.ts";
import { scrollDepth } from "./scroll-depth.ts";
import { createTriggerEngine } from "./trigger-engine.ts";
import type { VisibleTime } from "./visible-time.ts";

/** Interval in milliseconds at which the engine checks the time, the address and the length of the page. */
const STEP_MS = 500;

/** What the loader has collected before the triggers arrived. */
export type Collected = {
  triggers: readonly WidgetTrigger[];
  visible: VisibleTime;
  fired: FiredTriggers;
  events: Array<{ name: string; data: unknown }>;
  /** Only the loader knows the names of the built files. */
  loadActing: () => Promise<{ actOnTriggers: typeof actOnTriggers }>;
};

export type Triggers = ReturnType<typeof watchTriggers>;

/** Runs an agent's triggers on the page. Pages of agents without triggers never load this part. */
export function watchTriggers(core: WidgetCore, { triggers, visible, fired, events, loadActing }: Collected) {
  const { bus, signal } = core;
  let loading: Promise<Acting> | undefined;
  let acting: Acting | undefined;
  const load = async () => {
    loading ??= loadActing().then(({ actOnTriggers }) =>
      actOnTriggers(core, ({ id }) => {
        engine.rest();
        fired.add(id);
      }),
    );
    // A part that failed to load can be requested again.
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
      // The visitor may have gone to another page while the part was loading.
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
  addEventListener("input", engine.typed, { passive: true, capture: true, signal });
  bus.on("track", ({ name, data }) => void engine.track(name, data));
  const timer = setInterval(() => {
    checkPage();
    engine.step();
  }, STEP_MS);
  signal.addEventListener("abort", () => {
    clearInterval(timer);
    acting?.clear();
  });
  // Reports that the previous page could not send.
  if (core.storage.read("session", "reports")) void load();
  for (const { name, data } of events) void engine.track(name, data);
  engine.step();
  return { engine, fired, visible, events, load, acting: () => acting };
}
