import type { AgentWidget, ConversationKey } from "@foyer/sdk";
import type { FormHandler, Renderer } from "../foyer-api.ts";
import type { LocaleId } from "../locales/choose-locale.ts";
import type { createPageTools, RegisteredTool } from "../tools/page-tools.ts";
import type { ConsentStorage } from "./consent-storage.ts";
import type { EventBus } from "./event-bus.ts";
import type { WidgetOptions } from "./read-options.ts";
import type { ShadowHost } from "./shadow-host.ts";
import type { VisitorSession } from "./visitor-session.ts";

/** Shared by the parts of a running widget: the loader, the triggers, and the panel with its chat and forms. */
export type WidgetCore = {
  options: WidgetOptions;
  agent: AgentWidget;
  /** The name that visitors see. */
  title: string;
  locale: LocaleId;
  bus: EventBus;
  storage: ConsentStorage;
  visitor: VisitorSession;
  shadow: ShadowHost;
  registry: Registry;
  panel: PanelController;
  /** The `fetch` that the page had when the widget started. Pages replace it, even by one that fails. */
  fetch: typeof fetch;
  /** Loads the code that runs client tools. Passed in because only the loader knows the names of the built files. */
  loadTools: () => Promise<{ createPageTools: typeof createPageTools }>;
  /** Aborts when the widget is removed. */
  signal: AbortSignal;
};

/** What the parts have that need no session of the visitor. */
export type PageCore = Omit<WidgetCore, "visitor"> & { loadVisitor: () => Promise<VisitorSession> };

/** The functions and values that the site's code has registered. */
export type Registry = {
  /** Form handlers by name. */
  formHandlers: Map<string, FormHandler>;
  /** Client tools by name. */
  tools: Map<string, RegisteredTool>;
  /** Renderers by tool name. */
  renderers: Map<string, Renderer>;
  /** A copy of the last value passed to `Foyer.setContext`. */
  context: Record<string, unknown>;
};

export type OpenRequest = {
  /** Text to insert into the message field. */
  message?: string | undefined;
  /** The id or name of a form tool, whose form appears at the end of the conversation. */
  form?: string | undefined;
  /** Shows the card that asks for a person. */
  handoff?: boolean;
  /** A bubble that the visitor clicked. Its text opens a new conversation. */
  opening?: { triggerId: string; text: string };
  /** Opened by a trigger, so a message that the visitor has already typed is kept. */
  byTrigger?: boolean;
  /** The conversation of an email's link that another browser began. The visitor is asked before it is shown. */
  linked?: ConversationKey;
  /** Opened by the visitor, so the chat is open on the next page as well. */
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
