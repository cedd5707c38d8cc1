import type { ConversationRating, RatingRequest } from "@foyer/contract";
import { HOUR_MS } from "@foyer/contract/rules/time";
import { FoyerError } from "@foyer/sdk";
import type { PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { createStore } from "../store.ts";
import type { RatingTexts } from "./texts/load-texts.ts";

export type RatingController = ReturnType<typeof createRating>;

type Shown = {
  /** `given` shows the rating and lets the visitor correct it. */
  view: "none" | "ask" | "given";
  /** The agent's own question. Null if it has none. */
  question: string | null;
  score: number | null;
  comment: string;
  isBusy: boolean;
  hasFailed: boolean;
};

const nothing: Shown = { view: "none", question: null, score: null, comment: "", isBusy: false, hasFailed: false };

/**
 * The minimum wait until the server is asked again, in milliseconds. Each wait is as long as the conversation has been
 * idle.
 */
const MIN_IDLE_MS = 10_000;
/** The idle time after which the page no longer asks, in milliseconds. */
const MAX_IDLE_MS = HOUR_MS;

/**
 * Asks the visitor to rate the current conversation once it has ended. A member's part of a conversation ends with a
 * live event. A conversation that only the agent answers has none, so the page asks the server.
 */
export function createRating(panel: PanelContext, panelState: PanelState, texts: RatingTexts) {
  const { core, request, chat } = panel;
  const { visitor, signal } = core;
  const store = createStore(nothing);
  const patch = (changes: Partial<Shown>) => store.set({ ...store.get(), ...changes });
  const hide = () => store.get() !== nothing && store.set(nothing);
  /** The state of the conversation that was checked last, and the one that the visitor continued without a rating. */
  let checked = "";
  let continued = "";
  let messageCount = 0;
  let changedAt = 0;
  /** Whether there was an occasion to ask while the conversation was loaded again or a reply was running. */
  let isMissed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  /** The open conversation, if the agent has it and the visitor has not closed the question. */
  function openConversation() {
    const { phase, running, ownership } = chat.store.get();
    const isOver = phase === "ready" && running === null && (ownership?.handler ?? "agent") === "agent";
    const { current } = visitor;
    return isOver && current && !current.isRatingHidden ? { ...current, epoch: ownership?.epoch ?? 0 } : null;
  }

  const path = (id: string) => `/conversations/${id}/rating`;
  const nameOf = (conversation: ReturnType<typeof openConversation>) =>
    conversation ? `${conversation.id} ${conversation.epoch}` : "";

  async function check(): Promise<void> {
    const conversation = openConversation();
    isMissed = !conversation;
    if (!conversation || store.get().view !== "none" || document.hidden || !panelState.get().isOpen) return;
    const { id, token } = conversation;
    const name = nameOf(conversation);
    const response = await request(path(id), { token });
    const { data }: { data: RatingRequest } = await response.json();
    const now = nameOf(openConversation());
    isMissed = now === "";
    if (now !== name || store.get().view !== "none") return;
    const { isAsked, canRate, question, rating } = data;
    if (!isAsked && continued === name) continued = "";
    if (isAsked && continued !== name) {
      store.set({ ...nothing, view: "ask", question });
      chat.patch({ announcement: question ?? texts.question });
    } else if (rating && canRate) {
      store.set({ ...nothing, view: "given", question, score: rating.score, comment: rating.comment ?? "" });
    }
  }

  /** The next occasion asks again, so a failure is not shown. */
  const tryCheck = () => void check().catch(() => {});

  function checkWhenIdle(): void {
    clearTimeout(timer);
    const idle = Math.max(MIN_IDLE_MS, Date.now() - changedAt);
    if (idle > MAX_IDLE_MS || signal.aborted) return;
    timer = setTimeout(() => {
      tryCheck();
      checkWhenIdle();
    }, idle);
  }

  function onChat(): void {
    // While the conversation is loaded again, its messages come back one after another, but the visitor wrote none of them.
    if (chat.store.get().phase !== "ready") return;
    const conversation = openConversation();
    const name = nameOf(conversation);
    const count = chat.store.get().entries.filter((entry) => entry.type === "user").length;
    const before = { checked, messageCount };
    checked = name || checked;
    messageCount = count;
    // The visitor writes on, so the conversation has not ended.
    if (before.checked.split(" ")[0] === visitor.current?.id && count > before.messageCount) continued = checked;
    const isDue = isMissed && name !== "";
    if (isDue || name !== before.checked) tryCheck();
    if (count === before.messageCount && name === before.checked) return;
    if (name !== before.checked || continued === name) hide();
    changedAt = Date.now();
    checkWhenIdle();
  }
  let wasOpen = false;
  function onPanel(): void {
    const { isOpen } = panelState.get();
    if (isOpen && !wasOpen) tryCheck();
    wasOpen = isOpen;
  }
  signal.addEventListener("abort", chat.store.watch(onChat));
  signal.addEventListener("abort", panelState.watch(onPanel));
  signal.addEventListener("abort", () => clearTimeout(timer));
  addEventListener("visibilitychange", tryCheck, { capture: true, signal });
  onPanel();
  onChat();

  return {
    store,
    texts,
    choose: (score: number): void => patch({ score, hasFailed: false }),
    write: (comment: string): void => patch({ comment }),
    change: (): void => patch({ view: "ask" }),
    /** Closes the question of this conversation for good. */
    hide(): void {
      const { current } = visitor;
      if (current) visitor.remember({ ...current, isRatingHidden: true });
      hide();
    },
    /** @returns whether the question is over: the rating was saved, or is no longer accepted */
    async send(): Promise<boolean> {
      const conversation = openConversation();
      const { score, comment, isBusy } = store.get();
      if (!conversation || score === null || isBusy) return false;
      const { id, token } = conversation;
      patch({ isBusy: true, hasFailed: false });
      try {
        const response = await request(path(id), { method: "POST", token, body: { score, comment } });
        const { data }: { data: ConversationRating } = await response.json();
        if (visitor.current?.id !== id) return false;
        patch({ view: "given", isBusy: false, score: data.score, comment: data.comment ?? "" });
        chat.patch({ announcement: panel.messages.commentSent });
        return true;
      } catch (error) {
        if (visitor.current?.id !== id) return false;
        const isRefused = error instanceof FoyerError && !error.isTemporary;
        if (isRefused) hide();
        else patch({ isBusy: false, hasFailed: true });
        return isRefused;
      }
    },
  };
}
