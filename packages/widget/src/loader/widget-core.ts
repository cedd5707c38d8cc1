import type { AgentWidget } from "@foyer/sdk";
import type { FormHandler, Renderer } from "../foyer-api.ts";
import type { LocaleId } from "../locales/choose-locale.ts";
import type { Door } from "./door.ts";
import type { Hub } from "./hub.ts";
import type { Memory } from "./memory.ts";
import type { WidgetOptions } from "./read-options.ts";
import type { Surface } from "./surface.ts";
import type { Visit } from "./visit.ts";

/** What the parts of a running widget share: the loader's own, the triggers, and the panel with its chat and forms. */
export type WidgetCore = {
  options: WidgetOptions;
  agent: AgentWidget;
  locale: LocaleId;
  hub: Hub;
  memory: Memory;
  visit: Visit;
  surface: Surface;
  registry: Registry;
  door: Door;
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
  /** Nobody asked for it: what the visitor has written already stays. */
  byTrigger?: boolean;
  /** The visitor did it by hand; then the chat is also open on the next page. */
  byVisitor?: boolean;
};

/** The part that comes when it is needed; it stays on the page, hidden or not. */
export type Panel = { open(request: OpenRequest): void; close(): void; destroy(): void };

/** What the panel's file exports. */
export type MountPanel = (core: WidgetCore) => Promise<Panel>;
