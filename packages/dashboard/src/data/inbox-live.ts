import type { Person } from "@foyer/contract";
import { useSyncExternalStore } from "react";

type Colleague = Person & { isPresent: boolean };
/** Somebody who is typing in a conversation. `person` is null for the visitor. */
type Typing = { person: Person | null; until: number };

type InboxLive = {
  counts: { waiting: number; mine: number };
  members: readonly Colleague[];
  /** By conversation. */
  typing: Readonly<Record<string, readonly Typing[]>>;
};

const nothing: InboxLive = { counts: { waiting: 0, mine: 0 }, members: [], typing: {} };
const live = nothing;
const listeners = new Set<() => void>();

/** What the server has pushed about the inbox: counts, colleagues, and who is typing. */
export function useInboxLive<Part>(select: (live: InboxLive) => Part): Part {
  return useSyncExternalStore(subscribe, () => select(live));
}

/** Who is typing in a conversation. `person` is null for the visitor. */
export function useTyping(conversationId: string): readonly Typing[] {
  return useInboxLive(({ typing }) => typing[conversationId] ?? nobody);
}

const nobody: readonly Typing[] = [];

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
