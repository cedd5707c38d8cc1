import { reportSeen } from "@foyer/sdk";
import type { PanelContext } from "../panel/panel-context.ts";
import type { PanelState } from "../panel/panel-state.ts";
import { listTeamMessages } from "./handoff-state.ts";

/** `seen` is the id of the last message of the team that the visitor has seen. */
type Stored = { id: string; seen: string | null };

const NAME = "handoff";

type Options = {
  panelState: PanelState;
  /** Called when another tab has written the stored value. */
  onChange: () => void;
  signal: AbortSignal;
};

/**
 * Remembers the last message of the team that the visitor has read, for every page and tab, while the visitor waits for
 * a person, talks to one, or has unread messages. The loader finds the entry and loads the chat, so that the launcher
 * can show the number of unread messages.
 */
export function createSeenMessages({ core, request, chat }: PanelContext, { panelState, onChange, signal }: Options) {
  const { storage, options, visitor, bus } = core;
  const read = (): Stored | null => {
    const stored = storage.read("local", NAME) as Partial<Stored> | null;
    return typeof stored?.id === "string" ? { id: stored.id, seen: stored.seen ?? null } : null;
  };
  const messageIds = () => listTeamMessages(chat.store.get().entries).map(({ key }) => key);
  const onStorage = ({ key }: StorageEvent) => {
    if (key === `foyer:${options.agentId}:${NAME}`) onChange();
  };
  addEventListener("storage", onStorage, { signal });
  /** The last message that this page has reported to the server. */
  let reported: string | null = null;

  /** Tells the server that the visitor has seen a message, so that it is not sent by email. */
  function report(messageId: string): void {
    if (!visitor.current || messageId === reported) return;
    reported = messageId;
    // A lost report does no harm, because the live stream confirms its last message when it reconnects.
    reportSeen(request, visitor.current, messageId).catch(() => {});
  }

  return {
    /** Tells the launcher about messages that arrived before this page was opened, or were read in another tab. */
    showMissed(): void {
      const { current } = visitor;
      const stored = read();
      if (!current || stored?.id !== current.id || panelState.get().isOpen) return;
      const ids = messageIds();
      const lastSeen = stored.seen === null ? -1 : ids.indexOf(stored.seen);
      bus.emit("missed", ids.length - 1 - lastSeen);
    },
    /** Stores and reports the last seen message. */
    keep(): void {
      const { ownership } = chat.store.get();
      const { current } = visitor;
      if (!current || !ownership) return;
      const stored = read();
      const isKept = stored?.id === current.id;
      const isVisible = panelState.get().isOpen && !document.hidden;
      const last = messageIds().at(-1) ?? null;
      const seen = isVisible || !isKept ? last : stored.seen;
      const isOver = ownership.handler === "agent" && seen === last;
      if (isVisible && last !== null && (isKept || !isOver)) report(last);
      if (isOver ? isKept : !isKept || stored.seen !== seen) {
        storage.write("local", NAME, isOver ? null : { id: current.id, seen });
      }
    },
  };
}
