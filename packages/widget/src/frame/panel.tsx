/** @jsxImportSource preact */
import { createRequest } from "@foyer/sdk";
import { render } from "preact";
import { ChatView } from "../chat/link-question.tsx";
import { PastConversations } from "../chat/past-conversations.tsx";
import { createChat } from "../conversation/create-chat.ts";
import { sendableIdentity } from "../loader/page-values.ts";
import type { OpenRequest, Panel, WidgetCore } from "../loader/widget-core.ts";
import { loadMessages } from "../locales/load-messages.ts";
import css from "../panel/panel.css?inline";
import { type PanelContext, PanelProvider } from "../panel/panel-context.ts";
import { createPanelState } from "../panel/panel-state.ts";
import { SMALL_SCREEN } from "../panel/small-screen.ts";
import { loadMissing, loadOnce } from "../panel/use-part.ts";
import { createBackButton } from "./back-button.ts";
import { containEvents } from "./contain-events.ts";
import { loadAttachments, loadDisplays, loadForms, loadHandoff, loadRating } from "./load-chunk.ts";
import { PanelView } from "./panel-view.tsx";
import { followViewport } from "./viewport.ts";

/** Adds the panel to the widget. It starts closed. */
export async function mountPanel(core: WidgetCore): Promise<Panel> {
  const { shadow, bus, options } = core;
  const localized = await loadMessages(core);
  const { errorMessage } = core.agent.widget;
  const messages = errorMessage ? { ...localized, replyFailed: errorMessage, unreachable: errorMessage } : localized;
  const request = createRequest({
    baseUrl: options.baseUrl,
    fetch: core.fetch,
    identity: () => sendableIdentity(core.visitor),
  });
  const chat = createChat({
    core,
    request,
    messages,
    giveBack({ text, attachments = [] }) {
      const draft = [text, state.get().draft].filter(Boolean).join("\n");
      state.patch({ draft, returned: [...state.get().returned, ...attachments] });
    },
  });
  const state = createPanelState(chat.keepDraft);
  // What an earlier widget of this page could not load.
  loadMissing();
  const panel: PanelContext = {
    core,
    request,
    messages,
    chat,
    loadForms: async () => (await loadForms(options.baseUrl)).startForms(core),
    loadDisplays: () => loadDisplays(options.baseUrl),
    loadAttachments: loadOnce(async () => (await loadAttachments(options.baseUrl)).startAttachments(panel, state)),
    loadRating: loadOnce(async () => (await loadRating(options.baseUrl)).startRating(panel, state)),
  };
  const startHandoff = loadOnce(async () => {
    const part = await loadHandoff(options.baseUrl);
    const handoff = await part.startHandoff(panel, state);
    state.patch({ handoff });
    if (core.signal.aborted) handoff.destroy();
    return handoff;
  });
  shadow.addStyles(css);
  const place = document.createElement("div");
  // Insert the panel before the launcher, so that the Tab key reaches the chat first.
  shadow.frame.prepend(place);
  const stopFollowing = followViewport(shadow);
  const onPageShow = ({ persisted }: PageTransitionEvent) => {
    // The conversation may have continued on another page.
    if (persisted && !chat.store.get().running) chat.restore();
  };
  addEventListener("pageshow", onPageShow);
  const onVisible = () => {
    if (!document.hidden && chat.isOutdated()) chat.restore();
  };
  addEventListener("visibilitychange", onVisible, { capture: true, signal: core.signal });
  const onConnected = () => {
    chat.connected();
    loadMissing();
  };
  addEventListener("online", onConnected, { signal: core.signal });
  let unread = 0;
  const showUnread = (count: number) => {
    unread = count;
    const label = count > 1 ? `${messages.newReply} (${count})` : messages.newReply;
    bus.emit("unread", { count, label: count ? label : "" });
  };
  const stopListening = bus.on("message", ({ role }) => {
    if (role === "assistant" && !state.get().isOpen) showUnread(unread + 1);
  });
  bus.on("missed", showUnread);
  let before = core.visitor.identity;
  bus.on("identity", (identity) => {
    // Do not leak the previous visitor's draft.
    if (before || !identity) state.patch({ draft: "", attached: [] });
    before = identity;
  });
  const backButton = createBackButton(shadow.frame, {
    onBack: () => core.panel.close({ byVisitor: true }),
    onForward: () => void core.panel.open({ byVisitor: true }),
  });
  containEvents(shadow, core.signal);
  chat.restore();
  state.patch({ draft: chat.draft() });
  // Wait for the handoff code, because the messages would otherwise move when its button appears.
  if (core.agent.handoff) await startHandoff().catch(() => {});
  render(
    <PanelProvider value={panel}>
      <PanelView state={state} loadHandoff={startHandoff}>
        {{
          chat: <ChatView state={state} />,
          conversations: <PastConversations state={state} />,
        }}
      </PanelView>
    </PanelProvider>,
    place,
  );
  return {
    open({ message, form, opening, linked, handoff: offersPerson, byTrigger, byVisitor }: OpenRequest) {
      shadow.frame.dataset.open = "";
      if (byVisitor && matchMedia(SMALL_SCREEN).matches) backButton.opened();
      if (opening) chat.openWith(opening);
      if (form) chat.showForm(form);
      const isSaid = message !== undefined && !(byTrigger && state.get().draft.trim());
      state.patch({
        isOpen: true,
        ...(isSaid ? { draft: message } : {}),
        ...(isSaid || form || opening || linked ? { view: "chat" } : {}),
        ...(linked ? { linked } : {}),
      });
      showUnread(0);
      if (offersPerson)
        startHandoff().then(
          ({ offer }) => offer(),
          () => {},
        );
    },
    close(byVisitor) {
      delete shadow.frame.dataset.open;
      backButton.closed(byVisitor);
      state.patch({ isOpen: false });
    },
    destroy() {
      removeEventListener("pageshow", onPageShow);
      stopFollowing();
      backButton.destroy();
      stopListening();
      state.get().handoff?.destroy();
      chat.leave();
      render(null, place);
    },
  };
}
