import type { ConversationLiveEvent, Message, Ownership, Person, WidgetHandoff } from "@foyer/contract";
import { type Entry, type ReplyEntry, toEntries, type UserEntry } from "../conversation/conversation-state.ts";

/** The part of the state that a conversation's live events change. */
export type HandoffState = {
  entries: readonly Entry[];
  ownership: Ownership | null;
  /** The member of the team who is typing. */
  typing: Person | null;
};

/** The content of the area above the message field. */
export type HandoffView =
  | { type: "none" }
  /** `isUrgent` after a failure, a bad rating, or if the visitor has written of a person. */
  | { type: "offer"; isUrgent: boolean }
  | { type: "waiting"; isLate: boolean }
  | { type: "person"; person: Person | null }
  /** The person has left the conversation. `reply` was their last message, unless they wrote none. */
  | { type: "over"; reply: ReplyEntry | null; person: Person };

/** Returns the state after a live event. Applying an event twice has no further effect. */
export function applyLiveEvent(state: HandoffState, event: ConversationLiveEvent): HandoffState {
  switch (event.type) {
    case "ownership":
      return withOwnership(state, event.ownership);
    case "message":
      return withMessage(state, event.message);
    case "typing":
      return { ...state, typing: event.person };
    default:
      return state;
  }
}

/** An older state may arrive late, for example after the response to a request. */
export function withOwnership(state: HandoffState, ownership: Ownership): HandoffState {
  if (ownership.epoch < (state.ownership?.epoch ?? 0)) return state;
  return { ...state, ownership, typing: ownership.handler === "human" ? state.typing : null };
}

function withMessage(state: HandoffState, message: Message): HandoffState {
  const { entries } = state;
  if (entries.some((entry) => entry.type !== "form" && entry.id === message.id)) return state;
  const [entry] = toEntries({ messages: [message] });
  if (!entry) return state;
  if (entry.type === "user") return { ...state, entries: withVisitorMessage(entries, entry) };
  // Once a message arrives, its author is no longer typing.
  const typing = entry.type === "reply" && entry.person ? null : state.typing;
  return { ...state, entries: [...entries, entry], typing };
}

/**
 * A message that was sent from this page is already shown, but its id is not known yet. It has arrived, even if the
 * response to sending it was lost.
 */
function withVisitorMessage(entries: readonly Entry[], message: UserEntry): Entry[] {
  const at = entries.findIndex((entry) => entry.type === "user" && !entry.id && entry.text === message.text);
  const sent = entries[at];
  if (sent?.type !== "user" || !message.id) return [...entries, message];
  const arrived: UserEntry = { ...sent, id: message.id, state: "sent" };
  return entries
    .filter((entry) => entry.type !== "reply" || entry.unsentKey !== sent.key)
    .map((entry) => (entry === sent ? arrived : entry));
}

/** The messages of the team, oldest first. */
export function listTeamMessages(entries: readonly Entry[]): ReplyEntry[] {
  return entries.filter((entry): entry is ReplyEntry => entry.type === "reply" && !!entry.person);
}

/** `now` is in milliseconds since 1970. `wish` is a regular expression for texts of visitors who want a person. */
type ViewOptions = { settings: WidgetHandoff | null; wish: string; now: number };

/** @param left the person who has just left */
export function chooseView(
  { entries, ownership, left }: Pick<HandoffState, "entries" | "ownership"> & { left: Person | null },
  { settings, wish, now }: ViewOptions,
): HandoffView {
  if (ownership?.handler === "human") return { type: "person", person: ownership.assignee };
  if (ownership?.handler === "waiting") {
    const promisedAt = ownership.handoff?.promisedAt;
    return { type: "waiting", isLate: !!promisedAt && Date.parse(promisedAt) < now };
  }
  const reply = entries.findLast((entry) => entry.type === "reply");
  const person = reply?.person ?? left;
  if (ownership && person) return { type: "over", reply: reply?.person ? reply : null, person };
  // A reply with an id belongs to a conversation, which can be handed over.
  const isLasting = reply?.isLasting === true && reply.id !== null;
  if (!settings || !(settings.hasButton || isLasting)) return { type: "none" };
  const asked = entries.findLast((entry) => entry.type === "user")?.text ?? "";
  const isBad = reply?.state === "failed" || reply?.rating === "down";
  return { type: "offer", isUrgent: isLasting || isBad || new RegExp(wish, "i").test(asked) };
}
