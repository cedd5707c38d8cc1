import type { WidgetTrigger } from "@foyer/contract";
import { watchPageViews } from "../loader/page-views.ts";
import type { PageCore } from "../loader/widget-core.ts";
import type { createTriggerActions, TriggerActions } from "./actions/trigger-actions.ts";
import { watchExit } from "./exit-intent.ts";
import type { FiredTriggers } from "./fired-triggers.ts";
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
  /** Passed in because only the loader knows the names of the built files. */
  loadActions: () => Promise<{ createTriggerActions: typeof createTriggerActions }>;
};

export type Triggers = ReturnType<typeof watchTriggers>;

/** Runs an agent's triggers on the page. Pages of agents without triggers never load this part. */
export function watchTriggers(core: PageCore, { triggers, visible, fired, events, loadActions }: Collected) {
  const { bus, signal } = core;
  let loading: Promise<TriggerActions> | undefined;
  let actions: TriggerActions | undefined;
  const load = async () => {
    loading ??= Promise.all([loadActions(), core.loadVisitor()]).then(([{ createTriggerActions }, visitor]) =>
      createTriggerActions({ ...core, visitor }, ({ id }) => {
        engine.cooldown();
        fired.add(id);
      }),
    );
    // A part that failed to load can be requested again.
    actions = await loading.catch(() => (loading = undefined));
    return actions;
  };
  const engine = createTriggerEngine(triggers, {
    visible,
    fired,
    depth: scrollDepth,
    now: () => performance.now(),
    path: () => location.pathname,
    isOpen: () => core.panel.isOpen,
    isBusy: () => document.hidden || !!core.shadow.host.hidden || !!actions?.isHeld(),
    matches: async (conditions, data) => (await load())?.matches(conditions, data) ?? false,
    run: async (trigger) => {
      const { pathname } = location;
      const loaded = await load();
      // The visitor may have gone to another page while the part was loading.
      return (pathname === location.pathname && loaded?.run(trigger)) || false;
    },
    onFired: (trigger) => actions?.count(trigger),
  });
  const checkPage = watchPageViews(() => {
    actions?.clear();
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
    actions?.clear();
  });
  // Sends reports that the previous page could not send.
  if (core.storage.read("session", "reports")) void load();
  for (const { name, data } of events) void engine.track(name, data);
  engine.step();
  return { engine, fired, visible, events, load, actions: () => actions };
}
