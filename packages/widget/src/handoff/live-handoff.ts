import type { ConversationLiveEvent, Ownership, Person } from "@foyer/contract";
import type { Entry } from "../conversation/conversation-state.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { createStore } from "../store.ts";
import { createConversationFollower } from "./follow-conversation.ts";
import { createHandoffNews } from "./handoff-news.ts";
import { applyLiveEvent, type HandoffState, withOwnership } from "./handoff-state.ts";
import { createIdleCheck } from "./idle-check.ts";
import { createSeenMessages } from "./seen-messages.ts";
import type { Sound } from "./sound.ts";
import type { HandoffTexts } from "./texts/load-texts.ts";
import { watchCauses } from "./watch-causes.ts";

type Parts = { panelState: PanelState; texts: HandoffTexts; sound: Sound; signal: AbortSignal };

/** How long a report of typing is valid, in milliseconds. The other side repeats it every three seconds. */
const TYPING_MS = 6_000;
/** The maximum time for the server to process an event of the page, in milliseconds. */
const RULE_MS = 1_500;
/** The minimum time between two requests caused by the visitor's return to the page, in milliseconds. */
const CATCH_UP_MS = 30_000;

/** Follows the current conversation while the visitor waits for a person or talks to one. */
export function createLiveHandoff(panel: PanelContext, { panelState, texts, sound, signal }: Parts) {
  const { core, request, chat } = panel;
  const { visitor } = core;
  /** The member who is typing, the one who has just left, and whether the connection is lost. */
  const store = createStore<{ typing: Person | null; left: Person | null; isLost: boolean }>({
    typing: null,
    left: null,
    isLost: false,
  });
  const patch = (changes: Partial<ReturnType<typeof store.get>>) => store.set({ ...store.get(), ...changes });
  const news = createHandoffNews(panel, { texts, sound });
  const onChange = () => {
    seen.showMissed();
    catchUp();
  };
  const seen = createSeenMessages(panel, { panelState, onChange, signal });
  const onLost = (isLost: boolean) => isLost !== store.get().isLost && patch({ isLost });
  const isVisible = () => panelState.get().isOpen && !document.hidden;
  const follower = createConversationFollower(request, { onEvent, isVisible, onLost, signal });
  let typingTimer: ReturnType<typeof setTimeout> | undefined;
  // A member may take over without a request.
  const restartIdleCheck = createIdleCheck(catchUp, signal);
  let caughtUpAt = 0;
  /** The entries that were shown to the visitor when the person left. */
  let leftAt: readonly Entry[] | undefined;

  function onEvent(event: ConversationLiveEvent): void {
    apply((state) => applyLiveEvent(state, event));
    if (event.type !== "typing") return;
    clearTimeout(typingTimer);
    typingTimer = setTimeout(() => patch({ typing: null }), TYPING_MS);
  }

  function apply(change: (state: HandoffState) => HandoffState): void {
    const { entries, ownership } = chat.store.get();
    const before: HandoffState = { entries, ownership, typing: store.get().typing };
    const after = change(before);
    if (after === before) return;
    chat.patch({ entries: after.entries, ownership: after.ownership });
    if (after.typing !== before.typing) patch({ typing: after.typing });
    const person = before.ownership?.assignee;
    if (person && after.ownership?.handler === "agent") {
      leftAt = after.entries;
      patch({ left: person });
    }
    news.report(before, after);
  }

  /** Fetches changes. The server ends the stream immediately if the agent has the conversation. */
  function catchUp(): void {
    const { current } = visitor;
    if (!current || chat.store.get().phase !== "ready" || follower.current()) return;
    caughtUpAt = Date.now();
    follower.start(current);
  }
  /** Called when the visitor returns to the page or the panel. */
  function onSeen(): void {
    seen.keep();
    if (!document.hidden && Date.now() - caughtUpAt > CATCH_UP_MS) catchUp();
  }

  let shown: string | null = null;
  const onChat = ({ isCause }: { isCause: boolean }) => {
    const { entries, ownership, phase } = chat.store.get();
    const current = phase === "ready" ? visitor.current : null;
    if (follower.current() && follower.current() !== current?.id) follower.stop();
    if (current && current.id !== shown) seen.showMissed();
    shown = current?.id ?? null;
    if (entries !== leftAt) patch({ left: null });
    if (!current) return;
    restartIdleCheck();
    if (isCause || (ownership && ownership.handler !== "agent")) catchUp();
    nameConversation(panel);
    seen.keep();
  };
  watchCauses(chat, onChat, signal);
  watchVisitor(core, { panelState, onSeen, catchUp, signal });
  signal.addEventListener("abort", () => clearTimeout(typingTimer));

  return {
    store,
    announce: news.announce,
    /** Applies the server's response to a request of this visitor. */
    setOwnership: (ownership: Ownership): void => apply((state) => withOwnership(state, ownership)),
  };
}

type Watching = Pick<Parts, "panelState" | "signal"> & { onSeen: () => void; catchUp: () => void };

/** Calls `onSeen` when the visitor looks at the page or the panel again, and `catchUp` after an event of the page. */
function watchVisitor({ bus }: WidgetCore, { panelState, onSeen, catchUp, signal }: Watching): void {
  // The agent may have a rule for events of the page. The event is being reported to the server, so wait for the rule.
  const stopListening = bus.on("trigger", ({ triggerType, event }) => {
    if (triggerType === "custom_event" && event === "fired") setTimeout(catchUp, RULE_MS);
  });
  let wasOpen = panelState.get().isOpen;
  const stopWatching = panelState.watch(() => {
    const { isOpen } = panelState.get();
    if (isOpen && !wasOpen) onSeen();
    wasOpen = isOpen;
  });
  addEventListener("visibilitychange", onSeen, { capture: true, signal });
  signal.addEventListener("abort", () => {
    stopWatching();
    stopListening();
  });
}

/** A conversation that was opened with a link has no title in the visitor's list yet. */
function nameConversation({ core: { visitor }, chat }: PanelContext): void {
  const { current } = visitor;
  const first = chat.store.get().entries.find((entry) => entry.type === "user");
  if (current?.title === "" && first) visitor.remember({ ...current, title: first.text.slice(0, 80) });
}
