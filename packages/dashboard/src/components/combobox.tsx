import { ChevronsUpDown } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useId, useState } from "react";
import { isComposing } from "./composing.ts";
import { Field, fieldBox } from "./field.tsx";
import { type Option, OptionList } from "./option-list.tsx";

/**
 * A text field with suggestions. It also accepts other texts. All options are listed until the user types, regardless
 * of the value. `emptyLabel` names the first option, which means no value; without it, there is no such option.
 */
export function Combobox({
  label,
  help,
  error,
  emptyLabel,
  placeholder = emptyLabel,
  className = "placeholder:text-ink",
  options,
  value,
  onChange,
}: {
  label: string;
  help?: ReactNode;
  error: string | undefined;
  emptyLabel?: string;
  placeholder?: string;
  className?: string;
  options: readonly Option[];
  value: string;
  onChange: (value: string) => void;
}) {
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const [search, setSearch] = useState("");
  const all: readonly Option[] = emptyLabel === undefined ? options : [{ value: "", hint: emptyLabel }, ...options];
  const shown = all.filter((option) => `${option.value} ${option.hint ?? ""}`.toLowerCase().includes(search));
  const close = () => {
    setOpen(false);
    setActive(-1);
    setSearch("");
  };
  const choose = (option: Option) => {
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
            placeholder={placeholder}
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
            className={`${fieldBox} pe-9 ${className}`}
          />
          {all.length > 0 && (
            <ChevronsUpDown
              size={16}
              aria-hidden
              className="pointer-events-none absolute end-3 top-1/2 -mt-2 text-soft"
            />
          )}
          <OptionList
            id={listId}
            label={label}
            options={hasList ? shown : []}
            active={active}
            value={value}
            choose={choose}
          />
        </div>
      )}
    </Field>
  );
}
