import { omitUndefined } from "@foyer/contract/rules/defined";
import type { AgentWidget } from "@foyer/sdk";
import type { FoyerApi } from "../foyer-api.ts";
import { chooseLocale, isRightToLeft } from "../locales/choose-locale.ts";
import { launcherMessages } from "../locales/launcher-messages.ts";
import { startTriggers } from "../triggers/start-triggers.ts";
import { chooseAgentImage } from "./agent-images.ts";
import { requestFromServer } from "./ask-server.ts";
import { type ConsentStorage, createConsentStorage } from "./consent-storage.ts";
import { createEventBus, type EventBus } from "./event-bus.ts";
import { createLauncher } from "./launcher.ts";
import { takeLinkedConversation } from "./linked-conversation.ts";
import { loadPart } from "./load-part.ts";
import { createPanelController } from "./panel-controller.ts";
import type { WidgetOptions } from "./read-options.ts";
import { createShadowHost } from "./shadow-host.ts";
import { createVisitorSession, type VisitorSession } from "./visitor-session.ts";
import type { Registry, WidgetCore } from "./widget-core.ts";

/** The distance between the launcher and the edges of the window, in pixels. */
const DEFAULT_OFFSET = 20;

type Parts = {
  bus: EventBus;
  storage: ConsentStorage;
  visitor: VisitorSession;
  registry: Registry;
  signal: AbortSignal;
};

/**
 * Adds a widget to the page. The returned object works immediately; calls that need the server's configuration wait
 * for it.
 */
export function startWidget(options: WidgetOptions, onDestroy: () => void): FoyerApi {
  const bus = createEventBus();
  const storage = createConsentStorage(options.agentId, bus, options.consent);
  const visitor = createVisitorSession(storage, bus, options.identity);
  const registry: Registry = { formHandlers: new Map(), tools: new Map(), renderers: new Map(), context: {} };
  const life = new AbortController();
  const { signal } = life;
  let core: WidgetCore | null = null;
  let triggers: ReturnType<typeof startTriggers>;
  const starting = start(options, { bus, storage, visitor, registry, signal });
  const whenReady = (then: (core: WidgetCore) => void) => {
    if (core) then(core);
    else starting.then((started) => started && !signal.aborted && then(started));
  };
  whenReady((started) => {
    core = started;
    triggers = startTriggers(started);
    bus.emit("ready");
  });

  const linked = takeLinkedConversation();
  if (linked) {
    const own = visitor.conversations.find(({ id }) => id === linked.id);
    // The token of a link expires, while the one of the browser that began the conversation does not.
    if (own) visitor.remember(own.token.startsWith("fcl_") ? { ...own, ...linked } : own);
    // Another browser began the conversation, so the visitor is asked first.
    whenReady(({ panel }) => panel.open(own ? { byVisitor: true } : { byVisitor: true, linked }));
  }

  const foyer: FoyerApi = {
    open: ({ message, form, handoff } = {}) =>
      whenReady(({ panel }) =>
        panel.open(
          omitUndefined({ message: message || undefined, form: form || undefined, handoff: handoff || undefined }),
        ),
      ),
    close: () => whenReady(({ panel }) => panel.close()),
    toggle: () => whenReady(({ panel }) => (panel.isOpen ? panel.close() : panel.open())),
    show: () => whenReady(({ shadow }) => shadow.setHidden(false)),
    hide: () => whenReady(({ shadow }) => shadow.setHidden(true)),
    track(name, data = {}) {
      const event = { name, data: deepCopy(data) };
      whenReady(() => bus.emit("track", event));
    },
    identify: (identity) => visitor.identify(identity),
    logout: () => visitor.logout(),
    setContext: (context) => {
      registry.context = context;
    },
    on(name, listener) {
      // A listener that is added after the event still receives it.
      if (name === "ready" && core) queueMicrotask(() => (listener as () => void)());
      return bus.on(name, listener as never);
    },
    off: (name, listener) => bus.off(name, listener as never),
    registerFormHandler: (name, handler) => void registry.formHandlers.set(name, handler),
    registerTool(name, run, options) {
      registry.tools.set(name, { ...options, run });
      bus.emit("tool", name);
    },
    registerRenderer: (toolName, renderer) => void registry.renderers.set(toolName, renderer),
    consent: () => bus.emit("consent"),
    debug: () => whenReady(async (started) => (await loadPart(started, "debug")).openDebug(started, triggers)),
    destroy() {
      if (signal.aborted) return;
      life.abort();
      bus.emit("destroy");
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

/** Returns null if the agent does not exist, is not allowed on this page, or the server does not answer. */
async function start(options: WidgetOptions, parts: Parts): Promise<WidgetCore | null> {
  const path = `/agents/${encodeURIComponent(options.agentId)}/widget`;
  const agent = (await requestFromServer<{ data: AgentWidget }>(options, path, parts.signal))?.data;
  if (!agent || parts.signal.aborted) return null;
  const { widget } = agent;
  const locale = chooseLocale([options.locale, widget.locale, document.documentElement.lang, ...navigator.languages]);
  const messages = launcherMessages(locale);
  const title = options.title ?? widget.title ?? agent.name;
  const shadow = createShadowHost(
    {
      accentColor: options.accentColor ?? widget.accentColor ?? null,
      theme: options.theme ?? widget.theme ?? "auto",
      position: options.position ?? widget.position ?? "right",
      offsetX: options.offsetX ?? widget.offsetX ?? DEFAULT_OFFSET,
      offsetY: options.offsetY ?? widget.offsetY ?? DEFAULT_OFFSET,
      zIndex: options.zIndex,
    },
    title,
  );
  shadow.frame.lang = locale;
  shadow.frame.dir = isRightToLeft(locale) ? "rtl" : "ltr";
  parts.bus.on("destroy", shadow.remove);
  const loadTools = () => loadPart({ options }, "tools");
  const base = { ...parts, options, agent, title, locale, shadow, loadTools };
  const panel = createPanelController(base, (press) => {
    if (!options.hasLauncher) return null;
    return createLauncher(shadow, parts.bus, messages, {
      label: options.launcherLabel ?? widget.launcherLabel ?? null,
      icon: options.launcherIcon ?? widget.launcherIcon ?? "chat",
      image: chooseAgentImage(base, "launcher"),
      onPress: press,
    });
  });
  return { ...base, panel };
}

/**
 * Copies the data, because it may be read later. Reactive proxies of frameworks cannot be cloned and are returned as
 * they are.
 */
function deepCopy<T>(data: T): T {
  try {
    return structuredClone(data);
  } catch {
    return data;
  }
}
