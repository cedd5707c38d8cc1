import { ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { isComposing } from "./composing.ts";
import { Field, fieldBox } from "./field.tsx";

export type ComboboxOption = { value: string; hint?: string };

/**
 * A text field with suggestions. It also accepts other texts. All options are listed until the user types, regardless
 * of the value. `emptyLabel` names the first option, which means no value.
 */
export function Combobox({
  label,
  help,
  error,
  emptyLabel,
  options,
  value,
  onChange,
}: {
  label: string;
  help?: ReactNode;
  error: string | undefined;
  emptyLabel: string;
  options: readonly ComboboxOption[];
  value: string;
  onChange: (value: string) => void;
}) {
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [search, setSearch] = useState("");
  const all: readonly ComboboxOption[] = [{ value: "", hint: emptyLabel }, ...options];
  const shown = all.filter((option) => `${option.value} ${option.hint ?? ""}`.toLowerCase().includes(search));
  const close = () => {
    setOpen(false);
    setActive(-1);
    setSearch("");
  };
  const choose = (option: ComboboxOption) => {
    onChange(option.value);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = shown[active];
    if (by !== undefined) {
      event.preventDefault();
      if (isOpen && shown.length > 0) setActive((Math.max(active, by < 0 ? 0 : -1) + by + shown.length) % shown.length);
      setOpen(true);
    } else if (event.key === "Enter" && isOpen && option) {
      event.preventDefault();
      choose(option);
    } else if (event.key === "Escape" && isOpen) {
      event.stopPropagation();
      close();
    }
  };
  const hasList = isOpen && shown.length > 0;
  return (
    <Field label={label} help={help} error={error}>
      {(input) => (
        <div className="relative">
          <input
            {...input}
            role="combobox"
            aria-expanded={hasList}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={hasList && active >= 0 ? `${listId}-${active}` : undefined}
            autoComplete="off"
            spellCheck={false}
            placeholder={emptyLabel}
            value={value}
            onChange={(event) => {
              onChange(event.target.value);
              setSearch(event.target.value.trim().toLowerCase());
              setActive(-1);
              setOpen(true);
            }}
            onClick={() => setOpen(true)}
            onKeyDown={onKeyDown}
            onBlur={close}
            className={`${fieldBox} pe-9 placeholder:text-ink`}
          />
          <ChevronsUpDown
            size={16}
            aria-hidden
            className="pointer-events-none absolute end-3 top-1/2 -mt-2 text-soft"
          />
          <OptionList id={listId} label={label} options={hasList ? shown : []} {...{ active, value, choose }} />
        </div>
      )}
    </Field>
  );
}

function OptionList({
  id,
  label,
  options,
  active,
  value,
  choose,
}: {
  id: string;
  label: string;
  /** The list is hidden when it has no options. */
  options: readonly ComboboxOption[];
  /** Index of the option highlighted by the arrow keys, or -1. */
  active: number;
  value: string;
  choose: (option: ComboboxOption) => void;
}) {
  return (
    <div
      id={id}
      role="listbox"
      aria-label={`${label} options`}
      hidden={options.length === 0}
      className="absolute inset-x-0 top-full z-30 mt-1 max-h-72 overflow-y-auto rounded-lg border border-line bg-raised p-1"
    >
      {options.map((option, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the input keeps the focus and takes the keys
        <div
          key={option.value}
          id={`${id}-${index}`}
          ref={(element) => {
            if (index === active) element?.scrollIntoView({ block: "nearest" });
          }}
          role="option"
          tabIndex={-1}
          aria-selected={option.value === value}
          // The input would lose the focus, and the list would close before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(option)}
          className={`grid min-h-9 cursor-pointer content-center rounded-md px-3 py-1 hover:bg-sunken aria-selected:font-medium pointer-coarse:min-h-11 ${index === active ? "bg-sunken" : ""}`}
        >
          {option.value || option.hint}
          {option.value && option.hint && <span className="text-sm font-normal text-soft">{option.hint}</span>}
        </div>
      ))}
    </div>
  );
}
