import type { ConversationStart, Ownership, WidgetHandoff } from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { type ConversationKey, FoyerError } from "@foyer/sdk";
import type { Entry, UserEntry } from "../conversation/conversation-state.ts";
import { errorMessageFor } from "../conversation/error-messages.ts";
import type { PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { createStore } from "../store.ts";
import { createLiveHandoff } from "./live-handoff.ts";
import { reportDrafts } from "./report-drafts.ts";
import { createSound } from "./sound.ts";
import type { HandoffTexts } from "./texts/load-texts.ts";
import { watchHours } from "./watch-hours.ts";

export type HandoffController = ReturnType<typeof createHandoff>;

export type HandoffCard = {
  /** The card that asks for a person, or for an email address while the visitor waits. */
  card: "none" | "ask" | "email";
  isBusy: boolean;
  /** Why the request failed, in the visitor's language. */
  problem: string | null;
  /** The email address that the visitor left for the answer. */
  email: { conversationId: string; address: string } | null;
  /** The agent's settings. They contain whether the office is open, so they change while the page is open. */
  settings: WidgetHandoff | null;
};

/** The actions of the visitor: ask for a person, stop waiting, leave an address, and type. */
export function createHandoff(panel: PanelContext, panelState: PanelState, texts: HandoffTexts) {
  const { core, request, chat, messages } = panel;
  const { visitor, agent } = core;
  const life = new AbortController();
  const { signal } = life;
  const sound = createSound(core.storage);
  const live = createLiveHandoff(panel, { panelState, texts, sound, signal });
  const store = createStore<HandoffCard>({
    card: "none",
    isBusy: false,
    problem: null,
    email: null,
    settings: agent.handoff,
  });
  const patch = (changes: Partial<HandoffCard>) => store.set({ ...store.get(), ...changes });
  /** The number of times that a card was opened or closed. */
  let openings = 0;
  const open = (card: HandoffCard["card"]) => {
    openings += 1;
    patch({ card, isBusy: false, problem: null });
  };

  async function change(method: "POST" | "DELETE", { id, token }: ConversationKey, body?: object): Promise<void> {
    const answer = await request(`/conversations/${id}/handoff`, { method, token, body });
    const { data }: { data: Ownership } = await answer.json();
    // The visitor may have opened another conversation in the meantime.
    if (visitor.current?.id === id) live.setOwnership(data);
  }

  const readHours = watchHours(panel, (settings) => patch({ settings }), signal);

  /**
   * Aborted when the visitor changes, so that the next visitor neither sees nor sends what the previous one has
   * entered.
   */
  let visit = new AbortController();

  /** Runs a request. If it fails, the card shows why. @returns whether it succeeded */
  async function attempt(run: (signal: AbortSignal) => Promise<void>): Promise<boolean> {
    const own = visit.signal;
    const opening = openings;
    // The live events can report the change before the response arrives, and the visitor can then open another card.
    const isCurrent = () => !own.aborted && openings === opening;
    patch({ isBusy: true, problem: null });
    try {
      await run(own);
      if (isCurrent()) open("none");
      return true;
    } catch (error) {
      if (!isCurrent()) return false;
      const problem = errorMessageFor(error, messages);
      live.announce(problem);
      patch({ isBusy: false, problem });
      return false;
    }
  }

  reportDrafts(panel, panelState, signal);
  const endVisit = () => {
    visit.abort();
    visit = new AbortController();
    patch({ card: "none", isBusy: false, email: null, problem: null });
  };
  signal.addEventListener("abort", core.bus.on("identity", endVisit));
  signal.addEventListener("abort", endVisit);

  return {
    store,
    live,
    sound,
    texts,
    /** Shows the card that asks for a person, with the current office hours. */
    offer(): void {
      const handler = chat.store.get().ownership?.handler ?? "agent";
      if (!store.get().settings || handler !== "agent") return;
      open("ask");
      readHours();
    },
    showEmail: () => open("email"),
    cancel: () => open("none"),
    /** Asks for a person or, while the visitor waits, leaves an email address for the answer. */
    ask: ({ reason, email }: { reason?: string; email?: string }): Promise<boolean> =>
      attempt(async (own) => {
        const conversation = await ensureConversation(panel, reason ?? "", own);
        await change("POST", conversation, omitUndefined({ reason: reason || undefined, email: email || undefined }));
        if (email && !own.aborted) patch({ email: { conversationId: conversation.id, address: email } });
      }),
    stopWaiting: (): Promise<boolean> =>
      attempt(async () => {
        const { current } = visitor;
        // A member has just taken the conversation over, which its live events report.
        if (current) await change("DELETE", current).catch(ignoreConflict);
        patch({ email: null });
      }),
    destroy: (): void => life.abort(),
  };
}

function ignoreConflict(error: unknown): void {
  if (!(error instanceof FoyerError) || error.status !== 409) throw error;
}

/**
 * The conversation to hand over. If there is none, the visitor's question starts one. When the chat refuses it, as it
 * has refused every message before, the messages begin a conversation without a reply.
 */
async function ensureConversation(
  panel: PanelContext,
  question: string,
  signal: AbortSignal,
): Promise<ConversationKey> {
  const { core, chat } = panel;
  if (core.visitor.current) return core.visitor.current;
  if (!isRefused(panel)) {
    void chat.send(question);
    await new Promise<void>((resolve, reject) => {
      const stop = chat.store.watch(() => {
        if (!core.visitor.current && !isRefused(panel)) return;
        stop();
        resolve();
      });
      signal.addEventListener("abort", () => {
        stop();
        reject(signal.reason);
      });
    });
  }
  return core.visitor.current ?? beginWithoutReply(panel, signal);
}

const isUnsent = (entry: Entry): entry is UserEntry => entry.type === "user" && entry.state === "unsent";
const isRefusal = (entry: Entry | undefined) => entry?.type === "reply" && entry.state === "refused";
const isRefused = ({ chat }: PanelContext) => isRefusal(chat.store.get().entries.at(-1));

/** Stores the visitor's unsent messages in a new conversation. The agent does not answer them. */
async function beginWithoutReply(
  { core: { visitor }, request, chat }: PanelContext,
  signal: AbortSignal,
): Promise<ConversationKey> {
  const unsent = chat.store.get().entries.filter(isUnsent);
  const body = {
    ...chat.compose(),
    messages: unsent.map(({ text }) => ({ role: "user", content: text })),
    messageKey: unsent.at(-1)?.key,
  };
  // Not the SDK's function, because code of the SDK would become part of the panel.
  const answer = await request("/conversations", { method: "POST", body });
  const { data }: { data: ConversationStart } = await answer.json();
  signal.throwIfAborted();
  const conversation = { id: data.conversationId, token: data.conversationToken };
  visitor.remember({ ...conversation, title: unsent[0]?.text.slice(0, 80) ?? "", at: Date.now() });
  const { entries } = chat.store.get();
  chat.patch({
    entries: entries
      .filter((entry) => !isRefusal(entry))
      .map((entry) => (isUnsent(entry) ? { ...entry, state: "sent" } : entry)),
  });
  return conversation;
}
