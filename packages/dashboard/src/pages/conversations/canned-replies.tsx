import type { Output } from "@foyer/sdk";
import { Link } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useState } from "react";
import { isComposing } from "../../components/composing.ts";
import { ListOption } from "../../components/option-list.tsx";
import { filterReplies, findFitting } from "./canned-text.ts";

export type CannedReply = Output<"listCannedReplies">[number];

/**
 * The canned replies that a `/` in the text offers.
 * @param replies undefined until they have loaded
 * @param search what follows the slash, or null without one, and the visitor's last message
 * @param onInsert called with the reply and the position of the slash
 */
export function useCannedReplies(
  replies: readonly CannedReply[] | undefined,
  { search, message }: { search: { at: number; query: string } | null; message: string },
  onInsert: (reply: CannedReply, at: number) => void,
) {
  const [active, setActive] = useState(0);
  /** The position of the slash whose list was closed with Escape. */
  const [dismissed, setDismissed] = useState(-1);
  const isOpen = search !== null && dismissed !== search.at;
  const fitting = useMemo(() => (isOpen && replies ? findFitting(replies, message) : []), [isOpen, replies, message]);
  const shown = isOpen && replies ? filterReplies(replies, search.query, fitting) : [];
  const at = Math.min(active, Math.max(0, shown.length - 1));
  const choose = (reply: CannedReply) => {
    if (search) onInsert(reply, search.at);
    setActive(0);
  };
  return {
    shown,
    active: at,
    choose,
    /** The list is open, but the organization has no canned replies yet. */
    isEmpty: isOpen && replies?.length === 0,
    /** Handles a key of the text field. @returns whether the key was for the list */
    onKeyDown(event: KeyboardEvent): boolean {
      const reply = shown[at];
      if (!reply || !search || isComposing(event)) return false;
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step !== undefined) setActive((at + step + shown.length) % shown.length);
      else if ((event.key === "Enter" && !event.shiftKey) || event.key === "Tab") choose(reply);
      else if (event.key === "Escape") setDismissed(search.at);
      else return false;
      event.preventDefault();
      event.stopPropagation();
      return true;
    },
  };
}

/** The list above the message field. The field keeps the focus and handles the keys. */
export function CannedReplyList({ id, canned }: { id: string; canned: ReturnType<typeof useCannedReplies> }) {
  const box = "absolute inset-x-0 bottom-full z-30 mb-1 rounded-lg border border-line bg-raised";
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
