import type { Output } from "@foyer/sdk";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useState } from "react";
import { isComposing } from "../../components/composing.ts";
import { ListOption } from "../../components/option-list.tsx";
import { filterReplies, findFitting } from "./canned-text.ts";
import type { Colleague } from "./find-colleagues.ts";

export type CannedReply = Output<"listCannedReplies">[number];

type Search = { at: number; query: string };

/**
 * The list that a character in the text opens: its choices, and the one that the arrow keys have reached.
 * @param search what follows the character, or null without one
 * @param find the choices that match the search
 * @param onInsert called with the choice and the position of the character
 */
export function useSuggestions<Choice>(
  search: Search | null,
  find: (query: string) => readonly Choice[],
  onInsert: (choice: Choice, at: number) => void,
) {
  const [active, setActive] = useState(0);
  /** The position of the character whose list was closed with Escape. */
  const [dismissed, setDismissed] = useState(-1);
  const isOpen = search !== null && dismissed !== search.at;
  const shown = isOpen ? find(search.query) : [];
  const at = Math.min(active, Math.max(0, shown.length - 1));
  const choose = (choice: Choice) => {
    if (search) onInsert(choice, search.at);
    setActive(0);
  };
  return {
    shown,
    active: at,
    isOpen,
    choose,
    /** Handles a key of the text field. @returns whether the key was for the list */
    onKeyDown(event: KeyboardEvent): boolean {
      const choice = shown[at];
      if (!choice || !search || isComposing(event)) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) setActive((at + step + shown.length) % shown.length);
      else if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") choose(choice);
      else if (event.key === "Escape") setDismissed(search.at);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

/**
 * The canned replies that a `/` in the text offers.
 * @param replies undefined until they have loaded
 * @param search what follows the slash, or null without one, and the visitor's last message
 */
export function useCannedReplies(
  replies: readonly CannedReply[] | undefined,
  { search, message }: { search: Search | null; message: string },
  onInsert: (reply: CannedReply, at: number) => void,
) {
  const isSearched = search !== null;
  const fitting = useMemo(
    () => (isSearched && replies ? findFitting(replies, message) : []),
    [isSearched, replies, message],
  );
  const list = useSuggestions(search, (query) => filterReplies(replies ?? [], query, fitting), onInsert);
  /** `isEmpty`: the list is open, but the organization has no canned replies yet. */
  return { ...list, isEmpty: list.isOpen && replies?.length === 0 };
}

const box = "absolute inset-x-0 bottom-full z-30 mb-1 rounded-lg border border-line bg-raised";

/** The colleagues whom an `@` in a note offers, above the field. */
export function ColleagueList({ id, list }: { id: string; list: ReturnType<typeof useSuggestions<Colleague>> }) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Colleagues"
      hidden={list.shown.length === 0}
      className={`${box} max-h-[40vh] overflow-y-auto p-1`}
    >
      {list.shown.map((colleague, index) => (
        <ListOption
          key={colleague.id}
          listId={id}
          index={index}
          isActive={index === list.active}
          onChoose={() => list.choose(colleague)}
        >
          <span className="font-medium">{colleague.name}</span>
          <span className="truncate text-sm text-soft">{colleague.isHere ? "Here now" : colleague.email}</span>
        </ListOption>
      ))}
    </div>
  );
}

/** The list above the message field. The field keeps the focus and handles the keys. */
export function CannedReplyList({ id, canned }: { id: string; canned: ReturnType<typeof useCannedReplies> }) {
  if (canned.isEmpty) {
    return (
      <p className={`${box} px-3 py-2 text-soft`}>
        No canned replies yet.{" "}
        <Link to="/settings/canned-replies" className="underline underline-offset-2">
          Create one
        </Link>
      </p>
    );
  }
  return (
    <div
      id={id}
      role="listbox"
      aria-label="Canned replies"
      hidden={canned.shown.length === 0}
      className={`${box} max-h-[40vh] overflow-y-auto p-1`}
    >
      {canned.shown.map((reply, index) => (
        <ListOption
          key={reply.id}
          listId={id}
          index={index}
          isActive={index === canned.active}
          onChoose={() => canned.choose(reply)}
        >
          <span className="font-medium">{reply.name}</span>
          <span className="truncate text-sm text-soft">{reply.text}</span>
        </ListOption>
      ))}
    </div>
  );
}
