import type { AgentWidget } from "@foyer/sdk";
import type { FoyerApi } from "../foyer-api.ts";
import { chooseLocale, isRightToLeft } from "../locales/choose-locale.ts";
import { launcherWords } from "../locales/launcher-words.ts";
import { startTriggers, type Triggers } from "../triggers/start-triggers.ts";
import { askServer } from "./ask-server.ts";
import { createDoor } from "./door.ts";
import { createHub, type Hub } from "./hub.ts";
import { createLauncher } from "./launcher.ts";
import { loadPart } from "./load-part.ts";
import { createMemory, type Memory } from "./memory.ts";
import type { WidgetOptions } from "./read-options.ts";
import { createSurface } from "./surface.ts";
import { createVisit, type Visit } from "./visit.ts";
import type { Registry, WidgetCore } from "./widget-core.ts";

type Parts = { hub: Hub; memory: Memory; visit: Visit; registry: Registry; signal: AbortSignal };

/** Puts a widget on the page. The object works at once; what needs the server's answer happens when it is there. */
export function startWidget(options: WidgetOptions, onDestroy: () => void): FoyerApi {
  const hub = createHub();
  const memory = createMemory(options.agentId, hub, options.consent);
  const visit = createVisit(memory, hub, options.identity);
  const registry: Registry = { formHandlers: new Map(), renderers: new Map(), context: {} };
  const life = new AbortController();
  const { signal } = life;
  let core: WidgetCore | null = null;
  let triggers: Promise<Triggers>;
  const starting = start(options, { hub, memory, visit, registry, signal });
  const whenReady = (then: (core: WidgetCore) => void) => {
    if (core) then(core);
    else starting.then((started) => started && !signal.aborted && then(started));
  };
  whenReady((started) => {
    core = started;
    triggers = startTriggers(started);
    hub.emit("ready");
  });

  const foyer: FoyerApi = {
    open: ({ message, form } = {}) =>
      whenReady(({ door }) => door.open({ ...(message ? { message } : {}), ...(form ? { form } : {}) })),
    close: () => whenReady(({ door }) => door.close()),
    toggle: () => whenReady(({ door }) => (door.isOpen ? door.close() : door.open())),
    show: () => whenReady(({ surface }) => surface.setHidden(false)),
    hide: () => whenReady(({ surface }) => surface.setHidden(true)),
    track(name, data = {}) {
      const event = { name, data: copyOf(data) };
      whenReady(() => hub.emit("track", event));
    },
    identify: (identity) => visit.identify(identity),
    logout: () => visit.logout(),
    setContext: (context) => {
      registry.context = context;
    },
    on(name, listener) {
      // Who asks too late to hear it still hears it.
      if (name === "ready" && core) queueMicrotask(() => (listener as () => void)());
      return hub.on(name, listener as never);
    },
    off: (name, listener) => hub.off(name, listener as never),
    registerFormHandler: (name, handler) => void registry.formHandlers.set(name, handler),
    registerRenderer: (toolName, renderer) => void registry.renderers.set(toolName, renderer),
    consent: () => hub.emit("consent"),
    debug: () => whenReady(async (started) => (await loadPart(started, "debug")).openDebug(started, triggers)),
    destroy() {
      if (signal.aborted) return;
      life.abort();
      hub.emit("destroy");
      onDestroy();
    },
    push(...calls) {
      for (const call of calls) {
        if (typeof call === "function") call(foyer);
        else (Reflect.get(foyer, call[0]) as ((...args: unknown[]) => unknown) | undefined)?.(...call.slice(1));
      }
    },
  };
  return foyer;
}

/** Null when this page gets no widget: there is no such agent, it does not answer this page, or nobody answers. */
async function start(options: WidgetOptions, parts: Parts): Promise<WidgetCore | null> {
  const path = `/agents/${encodeURIComponent(options.agentId)}/widget`;
  const agent = (await askServer<{ data: AgentWidget }>(options, path, parts.signal))?.data;
  if (!agent || parts.signal.aborted) return null;
  const { widget } = agent;
  const locale = chooseLocale([
    ...[options.locale, widget.locale, document.documentElement.lang],
    ...navigator.languages,
  ]);
  const words = launcherWords(locale);
  const label = options.title ?? widget.title ?? agent.name;
  const surface = createSurface(
    {
      accentColor: options.accentColor ?? widget.accentColor ?? null,
      theme: options.theme,
      position: options.position ?? widget.position ?? "right",
      zIndex: options.zIndex,
    },
    label,
  );
  surface.frame.lang = locale;
  surface.frame.dir = isRightToLeft(locale) ? "rtl" : "ltr";
  parts.hub.on("destroy", surface.remove);
  const base = { ...parts, options, agent, locale, surface };
  const door = createDoor(base, (press) => {
    if (!options.hasLauncher) return null;
    return createLauncher(surface, parts.hub, words, {
      label: options.launcherLabel ?? widget.launcherLabel ?? null,
      onPress: press,
    });
  });
  return { ...base, door };
}

/** As it is now: it may be looked at later. Objects that a framework watches cannot be copied. */
function copyOf<T>(data: T): T {
  try {
    return structuredClone(data);
  } catch {
    return data;
  }
}
