import { createRequest, FoyerError, getWidget, type Request } from "@foyer/sdk";
import type { FoyerApi } from "../foyer-api.ts";
import { chooseLocale, isRightToLeft } from "../locales/choose-locale.ts";
import { launcherWords } from "../locales/launcher-words.ts";
import { createDoor } from "./door.ts";
import { createHub, type Hub } from "./hub.ts";
import { createLauncher } from "./launcher.ts";
import { createMemory, type Memory } from "./memory.ts";
import type { WidgetOptions } from "./read-options.ts";
import { createSurface } from "./surface.ts";
import { createVisit, type Visit } from "./visit.ts";
import type { Registry, WidgetCore } from "./widget-core.ts";

/** The waits before the server is asked again, in milliseconds, when it was not there or too busy. */
const RETRY_WAITS = [2_000, 10_000, 60_000];

type Parts = { hub: Hub; request: Request; memory: Memory; visit: Visit; registry: Registry };

/** Puts a widget on the page. The object works at once; what needs the server's answer happens when it is there. */
export function startWidget(options: WidgetOptions, onDestroy: () => void): FoyerApi {
  const hub = createHub();
  const memory = createMemory(options.agentId, hub, options.consent);
  const visit = createVisit(memory, hub, options.identity);
  const request = createRequest({ baseUrl: options.baseUrl });
  const registry: Registry = { formHandlers: new Map(), renderers: new Map(), context: {} };
  let isDestroyed = false;
  let core: WidgetCore | null = null;
  const starting = start(options, { hub, request, memory, visit, registry }, () => isDestroyed);
  const whenReady = (then: (core: WidgetCore) => void) => {
    if (core) then(core);
    else starting.then((started) => started && !isDestroyed && then(started));
  };
  whenReady((started) => {
    core = started;
    hub.emit("ready");
  });

  const foyer: FoyerApi = {
    open: ({ message } = {}) => whenReady(({ door }) => door.open(message ? { message } : {})),
    close: () => whenReady(({ door }) => door.close()),
    toggle: () => whenReady(({ door }) => (door.isOpen ? door.close() : door.open())),
    show: () => whenReady(({ surface }) => surface.setHidden(false)),
    hide: () => whenReady(({ surface }) => surface.setHidden(true)),
    track: (name, data = {}) => whenReady(() => hub.emit("track", { name, data })),
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
    destroy() {
      if (isDestroyed) return;
      isDestroyed = true;
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
async function start(options: WidgetOptions, parts: Parts, isDestroyed: () => boolean): Promise<WidgetCore | null> {
  const agent = await loadAgent(options.agentId, parts.request, isDestroyed);
  if (!agent || isDestroyed()) return null;
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

async function loadAgent(agentId: string, request: Request, isDestroyed: () => boolean) {
  for (const wait of [...RETRY_WAITS, null]) {
    try {
      return await getWidget(request, agentId);
    } catch (error) {
      const isTemporary = error instanceof FoyerError && error.isTemporary;
      if (!isTemporary || wait === null || isDestroyed()) {
        // biome-ignore lint/suspicious/noConsole: the only place where the site's maker looks for a widget that is not there
        console.warn(`Foyer: ${(error as Error).message}`);
        return null;
      }
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
  return null;
}
