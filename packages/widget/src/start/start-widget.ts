import { LAMP } from "@foyer/contract/rules/accent-contrast";
import type { AgentWidget } from "@foyer/sdk";
import type { FoyerApi } from "../foyer-api.ts";
import { chooseAgentImage } from "../loader/agent-images.ts";
import { requestFromServer } from "../loader/ask-server.ts";
import { createConsentStorage } from "../loader/consent-storage.ts";
import { createEventBus, type EventBus } from "../loader/event-bus.ts";
import { createLauncher } from "../loader/launcher.ts";
import { takeLinkedConversation } from "../loader/linked-conversation.ts";
import type { WidgetOptions } from "../loader/read-options.ts";
import { createShadowHost } from "../loader/shadow-host.ts";
import { warnOfPage } from "../loader/warn-of-page.ts";
import type { PageCore, Registry } from "../loader/widget-core.ts";
import { chooseLocale, isRightToLeft } from "../locales/choose-locale.ts";
import { launcherMessages } from "../locales/launcher-messages.ts";
import { loadPart } from "./load-part.ts";
import { createPanelController } from "./panel-controller.ts";
import { startTriggers } from "./start-triggers.ts";
import { createVisitorLoader } from "./visitor-loader.ts";

/** The distance between the launcher and the edges of the window, in pixels. */
const DEFAULT_OFFSET = 20;

/** The server's limit. */
const MAX_TOOL_NAME_CHARACTERS = 64;

const publicEvents = ["ready", "open", "close", "message", "form", "trigger", "handoff"] as const;

/** Kept from the start, because the page's code may replace it later. */
const fetch = globalThis.fetch.bind(globalThis);

type Parts = Pick<PageCore, "bus" | "storage" | "loadVisitor" | "registry" | "signal" | "fetch">;

/**
 * Adds a widget to the page. The returned object works immediately; calls that need the server's configuration wait
 * for it.
 */
export function startWidget(options: WidgetOptions, onDestroy: () => void): FoyerApi {
  const registry: Registry = { formHandlers: new Map(), tools: new Map(), renderers: new Map(), context: {} };
  /** What the page listens to. It outlives a widget that has to start again. */
  const pageBus = createEventBus();
  let isDestroyed = false;
  let widget = mountWidget(options, registry, { pageBus, onErased });

  function onErased() {
    const { visitor, hasConsent, destroy } = widget;
    destroy();
    const next = {
      ...options,
      identity: visitor.identity(),
      consent: hasConsent() ? "given" : options.consent,
    } as const;
    widget = mountWidget(next, registry, { pageBus, onErased });
  }

  const linked = takeLinkedConversation();
  if (linked) {
    widget.visitor.run((visitor) => {
      // Another browser began the conversation, so the visitor is asked first.
      const request = visitor.recognize(linked) ? { byVisitor: true } : { byVisitor: true, linked };
      widget.whenReady(({ panel }) => panel.open(request));
    });
  }

  const foyer: FoyerApi = {
    open: ({ message, form, handoff } = {}) =>
      widget.whenReady(({ panel }) =>
        panel.open({ message: toText(message), form: toText(form), handoff: Boolean(handoff) }),
      ),
    close: () => widget.whenReady(({ panel }) => panel.close()),
    toggle: () => widget.whenReady(({ panel }) => (panel.isOpen ? panel.close() : panel.open())),
    show: () => widget.whenReady(({ shadow }) => shadow.setHidden(false)),
    hide: () => widget.whenReady(({ shadow }) => shadow.setHidden(true)),
    track(name, data = {}) {
      const event = { name: String(name), data: deepCopy(data) };
      widget.whenReady(() => widget.bus.emit("track", event));
    },
    identify(identity) {
      if (isObject(identity)) widget.visitor.run((visitor) => visitor.identify(identity));
      else warnOfPage("identify", "what is not an object");
    },
    logout: () => widget.visitor.run((visitor) => visitor.logout()),
    setContext(context) {
      if (!isObject(context)) warnOfPage("setContext", "what is not an object");
      registry.context = isObject(context) ? context : {};
    },
    on(name, listener) {
      // A listener that is added after the event still receives it.
      if (name === "ready" && widget.isReady()) queueMicrotask(() => (listener as () => void)());
      return pageBus.on(name, listener as never);
    },
    off: (name, listener) => pageBus.off(name, listener as never),
    registerFormHandler: (name, handler) => void registry.formHandlers.set(name, handler),
    registerTool(given, run, options) {
      const name = String(given);
      const isQuestion = !options?.confirm || typeof options.confirm === "string";
      // A tool whose question cannot be shown must not run without it.
      if (typeof run !== "function" || !isQuestion || name.length > MAX_TOOL_NAME_CHARACTERS) {
        return warnOfPage("registerTool", name);
      }
      registry.tools.set(name, { ...options, run });
      widget.bus.emit("tool", name);
    },
    registerRenderer: (toolName, renderer) => void registry.renderers.set(toolName, renderer),
    consent: () => widget.bus.emit("consent"),
    debug: () => widget.whenReady((core) => widget.debug(core)),
    destroy() {
      if (isDestroyed) return;
      isDestroyed = true;
      widget.destroy();
      onDestroy();
    },
    push(...calls) {
      for (const call of calls) {
        try {
          if (typeof call === "function") call(foyer);
          else {
            const [name, ...args] = call;
            (Reflect.get(foyer, name) as (...args: unknown[]) => unknown)(...args);
          }
        } catch (error) {
          // The browser reports it like any uncaught error. Later calls must not be lost.
          reportError(error);
        }
      }
    },
  };
  return foyer;
}

/**
 * The widget itself, until it is removed. `onErased` is called when the page has erased it, and it has to start again.
 */
function mountWidget(
  options: WidgetOptions,
  registry: Registry,
  { pageBus, onErased }: { pageBus: EventBus; onErased: () => void },
) {
  const bus = createEventBus();
  for (const name of publicEvents) bus.on(name, (detail) => pageBus.emit(name, ...([detail] as [never])));
  const storage = createConsentStorage(options.agentId, bus, options.consent);
  const visitor = createVisitorLoader(options, storage, bus);
  const life = new AbortController();
  const { signal } = life;
  let core: PageCore | null = null;
  let triggers: ReturnType<typeof startTriggers>;
  let hasConsent = false;
  bus.on("consent", () => {
    hasConsent = true;
  });
  const starting = start(options, { bus, storage, loadVisitor: visitor.load, registry, signal, fetch }, onErased);
  const whenReady = (then: (core: PageCore) => void) => {
    if (core) then(core);
    else starting.then((started) => started && !signal.aborted && then(started));
  };
  whenReady((started) => {
    core = started;
    triggers = startTriggers(started);
    bus.emit("ready");
  });
  return {
    bus,
    visitor,
    whenReady,
    isReady: () => core !== null,
    hasConsent: () => hasConsent,
    debug: async (core: PageCore) => (await loadPart(core, "debug")).openDebug(core, triggers),
    destroy(): void {
      life.abort();
      bus.emit("destroy");
    },
  };
}

/** Returns null if the agent does not exist, is not allowed on this page, or the server does not answer. */
async function start(options: WidgetOptions, parts: Parts, onErased: () => void): Promise<PageCore | null> {
  const path = `/agents/${encodeURIComponent(options.agentId)}/widget`;
  const agent = (await requestFromServer<{ data: AgentWidget }>({ options, fetch }, path, parts.signal))?.data;
  if (!agent || parts.signal.aborted) return null;
  const { widget } = agent;
  /** The script tag's option, or the agent's setting. */
  const setting = <Name extends keyof WidgetOptions & keyof typeof widget>(name: Name) => options[name] ?? widget[name];
  const locale = chooseLocale([options.locale, widget.locale, document.documentElement.lang, ...navigator.languages]);
  const messages = launcherMessages(locale);
  const title = setting("title") ?? agent.name;
  const shadow = createShadowHost(
    {
      accentColor: setting("accentColor") ?? LAMP,
      theme: setting("theme") ?? "auto",
      position: setting("position") ?? "right",
      offsetX: setting("offsetX") ?? DEFAULT_OFFSET,
      offsetY: setting("offsetY") ?? DEFAULT_OFFSET,
      zIndex: options.zIndex,
    },
    title,
    onErased,
  );
  shadow.frame.lang = locale;
  shadow.frame.dir = isRightToLeft(locale) ? "rtl" : "ltr";
  parts.bus.on("destroy", shadow.remove);
  const loadTools = () => loadPart({ options }, "tools");
  const base = { ...parts, options, agent, title, locale, shadow, loadTools };
  const panel = createPanelController(base, (press) => {
    if (!options.hasLauncher) return null;
    return createLauncher(shadow, parts.bus, messages, {
      label: setting("launcherLabel"),
      icon: setting("launcherIcon") ?? "chat",
      image: chooseAgentImage(base, "launcher"),
      onPress: press,
    });
  });
  return { ...base, panel };
}

const isObject = (value: unknown) => typeof value === "object" && value !== null;

/** Text to show, from a page that may pass a number. */
const toText = (value: unknown) => (value ? String(value) : undefined);

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
