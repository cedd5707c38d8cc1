import type { InboxEvent, Person } from "@foyer/contract";
import { useSyncExternalStore } from "react";

type Colleague = Person & { isPresent: boolean; isAway: boolean };
/** Who is typing in a conversation. `person` is null for the visitor. */
type Typing = { person: Person | null; until: number };

type InboxCounts = Omit<Extract<InboxEvent, { type: "counts" }>, "type">;

type InboxLive = {
  /** Null until the server has sent them. */
  counts: InboxCounts | null;
  members: readonly Colleague[];
  /** Keyed by conversation id. */
  typing: Readonly<Record<string, readonly Typing[]>>;
  /** The page receives no live updates at the moment, so what it shows may be out of date. */
  isLost: boolean;
};

/** How long a typing report is valid, in milliseconds. */
const TYPING_MS = 5_000;

const nothing: InboxLive = { counts: null, members: [], typing: {}, isLost: false };
let live = nothing;
const listeners = new Set<() => void>();

/** The state that the server has pushed about the inbox: counts, colleagues, and who is typing. */
export function useInboxLive<Part>(select: (live: InboxLive) => Part): Part {
  return useSyncExternalStore(subscribe, () => select(live));
}

/** Who is typing in a conversation. `person` is null for the visitor. */
export function useTyping(conversationId: string): readonly Typing[] {
  return useInboxLive(({ typing }) => typing[conversationId] ?? nobody);
}

const nobody: readonly Typing[] = [];

/** The current state, to update another tab. */
export function inboxState(): Omit<InboxLive, "typing"> {
  const { counts, members, isLost } = live;
  return { counts, members, isLost };
}

export function setInbox(part: Partial<Omit<InboxLive, "typing">>): void {
  set({ ...live, ...part });
}

/** Clears everything, for example when the user switches to another organization. */
export function forgetInbox(): void {
  set(nothing);
}

/** Shows for a few seconds that a person is typing. `person` is null for the visitor. */
export function noteTyping(conversationId: string, person: Person | null): void {
  const others = (live.typing[conversationId] ?? []).filter((other) => other.person?.userId !== person?.userId);
  setTyping(conversationId, [...others, { person, until: Date.now() + TYPING_MS }]);
  setTimeout(() => {
    const typing = live.typing[conversationId] ?? [];
    setTyping(
      conversationId,
      typing.filter(({ until }) => until > Date.now()),
    );
  }, TYPING_MS + 50);
}

/** Ends the typing state of a message's author. */
export function endTyping(conversationId: string, by: "visitor" | "team"): void {
  const typing = live.typing[conversationId];
  if (!typing) return;
  setTyping(
    conversationId,
    typing.filter(({ person }) => (by === "visitor") === (person !== null)),
  );
}

/** Clears the typing state of a deleted conversation. */
export function forgetTyping(conversationId: string): void {
  if (live.typing[conversationId]) setTyping(conversationId, []);
}

function setTyping(conversationId: string, typing: readonly Typing[]) {
  const { [conversationId]: _, ...others } = live.typing;
  set({ ...live, typing: typing.length > 0 ? { ...others, [conversationId]: typing } : others });
}

function set(next: InboxLive) {
  live = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
