import { type KeyboardEvent, useId, useState } from "react";
import { isComposing } from "../../components/composing.ts";
import { Dialog } from "../../components/dialog.tsx";
import { ListOption } from "../../components/option-list.tsx";
import { type Colleague, matchingColleagues } from "./find-colleagues.ts";

/** Further names are found by typing. */
const MAX_SHOWN = 50;

/** Assigns the conversation to a member, who is found by name. Enter chooses the highlighted one. */
export function AssignDialog({
  colleagues,
  onChoose,
  onClose,
}: {
  colleagues: readonly Colleague[];
  onChoose: (userId: string) => void;
  onClose: () => void;
}) {
  const listId = useId();
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const matches = matchingColleagues(colleagues, text);
  const shown = matches.slice(0, MAX_SHOWN);
  const at = Math.min(active, Math.max(0, shown.length - 1));
  const choose = (userId: string) => {
    onClose();
    onChoose(userId);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const colleague = shown[at];
    if (isComposing(event) || !colleague) return;
    if (step !== undefined) setActive((at + step + shown.length) % shown.length);
    else if (event.key === "Enter") choose(colleague.id);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Assign conversation" isOpen onClose={onClose}>
      <input
        role="combobox"
        aria-label="Find a member"
        aria-expanded={shown.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={shown.length > 0 ? `${listId}-${at}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder="Name or email"
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        className="min-h-11 w-full rounded-lg border border-edge bg-raised px-3"
      />
      <div id={listId} role="listbox" aria-label="Members" className="-mx-3 max-h-[40vh] overflow-y-auto">
        {shown.map((colleague, index) => (
          <ListOption
            key={colleague.id}
            listId={listId}
            index={index}
            isActive={index === at}
            onChoose={() => choose(colleague.id)}
          >
            <span className="truncate">{colleague.isMe ? `${colleague.name} (you)` : colleague.name}</span>
            <span className="truncate text-sm text-soft">
              {[
                colleague.email !== colleague.name && colleague.email,
                colleague.isHere && !colleague.isMe && "Here now",
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>
          </ListOption>
        ))}
      </div>
      <p role="status" className="text-sm text-soft empty:hidden">
        {matches.length === 0 && "No member matches."}
        {matches.length > shown.length && `${matches.length - shown.length} more. Type a name to find them.`}
      </p>
    </Dialog>
  );
}
