/** @jsxImportSource preact */
import { type AgentWidget, type ConversationKey, createRequest, type Source, type VisitorForm } from "@foyer/sdk";
import type { JSX } from "preact";
import { render } from "preact";
import { PieceView } from "../chat/reply-view.tsx";
import type { Part } from "../conversation/conversation-state.ts";
import { createChat } from "../conversation/create-chat.ts";
import { FormPlace } from "../forms/form-place.tsx";
import { createConsentStorage } from "../loader/consent-storage.ts";
import { createEventBus } from "../loader/event-bus.ts";
import { readOptions, type WidgetOptions } from "../loader/read-options.ts";
import { createVisitorSession } from "../loader/visitor-session.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import { chooseLocale, isRightToLeft } from "../locales/choose-locale.ts";
import { loadMessages } from "../locales/load-messages.ts";
import { type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import { createTextHighlighter } from "./highlight-text.ts";
import { createPreviewHost, type PreviewTheme } from "./preview-host.ts";

export type { Part, PreviewTheme };

export type PreviewOptions = {
  agent: AgentWidget;
  /** The server's address. */
  baseUrl: string;
  theme: PreviewTheme;
  /** A CSS `font` that replaces the widget's, for text among text of the page. */
  font?: string;
  /**
   * Makes buttons send messages and forms submit in this conversation. Without it, nothing reaches the server.
   * `userToken` proves the visitor's identity, and is null for an unverified visitor. A form is submitted with a new
   * one.
   */
  live?: {
    conversation: ConversationKey | null;
    onSay: (text: string) => void;
    userToken: (isNew: boolean) => Promise<string | null>;
  };
  /** Without `live`: forms validate and show the state after a submission, but send nothing. */
  canTryForms?: boolean;
};

/**
 * What a preview shows, with occurrences of `highlight` marked. A `key` identifies a form: as long as it stays the
 * same, typed values are kept. `previousResult` is the result of the tool call before the parts.
 */
export type PreviewContent =
  | {
      type: "parts";
      parts: readonly Part[];
      key: string;
      isUnfinished?: boolean;
      /** Whether numbers in brackets, such as `[1]`, are citations of documents. */
      hasCitations?: boolean;
      highlight?: string;
      previousResult?: unknown;
    }
  | { type: "form"; form: VisitorForm; key: string };

export type Preview = {
  show(content: PreviewContent): void;
  setTheme(theme: PreviewTheme): void;
  remove(): void;
};

/**
 * Renders parts of a conversation with the widget's own code and styles, in a shadow root inside `place`. The
 * dashboard uses it wherever it shows what a visitor sees.
 */
export async function mountPreview(place: HTMLElement, options: PreviewOptions): Promise<Preview> {
  const { agent, theme, live, canTryForms = false } = options;
  const locale = chooseLocale([agent.widget.locale]);
  const messages = await loadMessages({ locale, options });
  const shadow = createPreviewHost(place, { accentColor: agent.widget.accentColor ?? null, theme });
  shadow.frame.style.font = options.font ?? "";
  shadow.frame.lang = locale;
  shadow.frame.dir = isRightToLeft(locale) ? "rtl" : "ltr";
  const life = new AbortController();
  const core = previewCore(options, { shadow, locale, signal: life.signal });
  const request = createRequest({ baseUrl: options.baseUrl });
  const identify = async (hasNewToken: boolean) => {
    const userToken = await live?.userToken(hasNewToken);
    if (userToken) core.visitor.identify({ userToken });
  };
  // A form can be filled in without a token. Submitting it tries to get one again, and shows the error.
  await identify(false).catch(() => {});
  let previousResult: unknown = null;
  const panel: PanelContext = {
    core,
    request: live ? request : async () => Response.json({ data: null, error: null }),
    messages,
    chat: { ...createChat({ core, request, messages }), send: async (text) => live?.onSay(text) },
    loadForms: async () => (await import("../forms/mount-form.tsx")).startForms(core),
    loadDisplays: () => import("../display/mount-display.tsx"),
    previousResult: () => previousResult,
    onSubmit: () => identify(true),
    ...(canTryForms ? { isPreview: true as const } : {}),
  };
  // Uploads use their own request, so stop the submission of a form that must not be sent before it starts.
  if (!live && !canTryForms) shadow.frame.addEventListener("submit", stopEvent, { capture: true });
  const highlighter = createTextHighlighter(shadow.frame);
  return {
    show(content) {
      previousResult = content.type === "parts" ? content.previousResult : null;
      render(
        <PanelProvider value={panel}>
          <Content content={content} />
        </PanelProvider>,
        shadow.frame,
      );
      highlighter.mark(content.type === "parts" ? (content.highlight ?? "") : "");
    },
    setTheme: shadow.setTheme,
    remove() {
      highlighter.mark("");
      render(null, shadow.frame);
      life.abort();
      shadow.remove();
    },
  };
}

function previewCore(
  { agent, baseUrl, live }: PreviewOptions,
  { shadow, locale, signal }: Pick<WidgetCore, "shadow" | "locale" | "signal">,
): WidgetCore {
  const bus = createEventBus();
  // Consent is never given, so nothing of a preview is stored in the browser.
  const storage = createConsentStorage(agent.id, bus, "required");
  const visitor = createVisitorSession(storage, bus, null);
  if (live?.conversation) visitor.remember({ ...live.conversation, title: "", at: Date.now() });
  return {
    options: readOptions({ agentId: agent.id }, baseUrl) as WidgetOptions,
    agent,
    title: agent.widget.title ?? agent.name,
    locale,
    bus,
    storage,
    visitor,
    shadow,
    registry: { formHandlers: new Map(), tools: new Map(), renderers: new Map(), context: {} },
    panel: { isOpen: true, open: async () => {}, close: () => {} },
    fetch: globalThis.fetch,
    loadTools: () => import("../tools/page-tools.ts"),
    signal,
  };
}

function stopEvent(event: Event) {
  event.preventDefault();
  event.stopImmediatePropagation();
}

/** Where members read a reply, its citations are marks without links. */
const noSources: readonly Source[] = [];

function Content({ content }: { content: PreviewContent }): JSX.Element {
  if (content.type === "form") {
    return (
      <div class="reply">
        <FormPlace key={content.key} form={content.form} instanceKey={content.key} />
      </div>
    );
  }
  const { parts, key, isUnfinished = false, hasCitations = false } = content;
  return (
    <div class="reply">
      {parts.map((part, index) => (
        <PieceView
          key={index}
          part={part}
          formKey={`${key}:${index}`}
          isUnfinished={isUnfinished && index === parts.length - 1}
          sources={hasCitations ? noSources : undefined}
        />
      ))}
    </div>
  );
}
