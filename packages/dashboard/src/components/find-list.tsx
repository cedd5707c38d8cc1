import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { isComposing } from "./composing.ts";
import { ListOption } from "./option-list.tsx";

/** A text field for a dialog, with which the user finds one of many items. Enter chooses the highlighted item. */
export function FindList<Item extends { id: string }>({
  label,
  listLabel,
  placeholder,
  text,
  items,
  status,
  onText,
  onChoose,
  children,
}: {
  /** The accessible name of the text field. */
  label: string;
  listLabel: string;
  placeholder?: string;
  text: string;
  /** The items that match the text. */
  items: readonly Item[];
  /** A sentence below the list, such as that no item matches. */
  status: ReactNode;
  onText: (text: string) => void;
  onChoose: (item: Item) => void;
  /** Renders an item. */
  children: (item: Item) => ReactNode;
}) {
  const listId = useId();
  const [active, setActive] = useState(0);
  const at = Math.min(active, Math.max(0, items.length - 1));
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const item = items[at];
    if (isComposing(event) || !item) return;
    if (step !== undefined) setActive((at + step + items.length) % items.length);
    else if (event.key === "Enter") onChoose(item);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={items.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={items.length > 0 ? `${listId}-${at}` : undefined}
        autoComplete="off"
        spellCheck={false}
        placeholder={placeholder}
        value={text}
        onChange={(event) => {
          onText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        className="min-h-11 w-full rounded-lg border border-edge bg-raised px-3"
      />
      <div id={listId} role="listbox" aria-label={listLabel} className="-mx-3 max-h-[40vh] overflow-y-auto">
        {items.map((item, index) => (
          <ListOption
            key={item.id}
            listId={listId}
            index={index}
            isActive={index === at}
            onChoose={() => onChoose(item)}
          >
            {children(item)}
          </ListOption>
        ))}
      </div>
      <p role="status" className="text-sm text-soft empty:hidden">
        {status}
      </p>
    </>
  );
}
