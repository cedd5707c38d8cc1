import type { AgentWidget } from "@foyer/sdk";
import type { FormHandler, Renderer } from "../foyer-api.ts";
import type { LocaleId } from "../locales/choose-locale.ts";
import type { ConsentStorage } from "./consent-storage.ts";
import type { EventBus } from "./event-bus.ts";
import type { WidgetOptions } from "./read-options.ts";
import type { ShadowHost } from "./shadow-host.ts";
import type { Visit } from "./visitor-session.ts";

/** What the parts of a running widget share: the loader's own, the triggers, and the panel with its chat and forms. */
export type WidgetCore = {
  options: WidgetOptions;
  agent: AgentWidget;
  /** The name that visitors see. */
  title: string;
  locale: LocaleId;
  bus: EventBus;
  storage: ConsentStorage;
  visit: Visit;
  shadow: ShadowHost;
  registry: Registry;
  panel: PanelController;
  /** Aborts when the widget is taken away. */
  signal: AbortSignal;
};

/** What the site's own code brings along. */
export type Registry = {
  /** By the handler's name. */
  formHandlers: Map<string, FormHandler>;
  /** By the tool's name. */
  renderers: Map<string, Renderer>;
  /** What forms may fill in as `{{context.…}}`. */
  context: Record<string, unknown>;
};

export type OpenRequest = {
  /** Put into the field where the visitor writes. */
  message?: string;
  /** The id or name of a form tool, whose form is shown at the end of the conversation. */
  form?: string;
  /** A bubble that the visitor answers: its text opens a new conversation. */
  opening?: { triggerId: string; text: string };
  /** Nobody asked for it: what the visitor has written already stays. */
  byTrigger?: boolean;
  /** The visitor did it by hand; then the chat is also open on the next page. */
  byVisitor?: boolean;
};

/** Opens and closes the chat panel, and loads it when it is first needed. */
export type PanelController = {
  readonly isOpen: boolean;
  /** Resolves when the panel is visible, or when it could not be loaded. */
  open(request?: OpenRequest): Promise<void>;
  close(options?: { byVisitor?: boolean }): void;
};

/** The panel, which is loaded when it is first needed and then stays on the page, visible or hidden. */
export type Panel = { open(request: OpenRequest): void; close(byVisitor: boolean): void; destroy(): void };

/** What the panel's file exports. */
export type MountPanel = (core: WidgetCore) => Promise<Panel>;
