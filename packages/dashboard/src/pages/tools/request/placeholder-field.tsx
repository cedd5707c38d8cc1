import { Braces } from "lucide-react";
import { type ChangeEvent, type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { IconButton } from "../../../components/button.tsx";
import { isComposing } from "../../../components/composing.ts";
import { Field, fieldBox, GrowingTextarea } from "../../../components/field.tsx";
import { Menu } from "../../../components/menu.tsx";
import { type Option, OptionList } from "../../../components/option-list.tsx";
import { filterOptions, insertPlaceholder, type OpenPlaceholder, openPlaceholderAt } from "./placeholders.ts";

/** Height of a line and of the space above the first one, in pixels. */
const LINE = 20;
const PADDING = 8;

/**
 * A text with placeholders, which are offered as soon as a brace is typed, and by a button. A field without `isJson`
 * has only one line, which may wrap.
 */
export function PlaceholderField({
  label,
  insertLabel,
  help,
  error,
  value,
  onChange,
  options,
  isJson = false,
  placeholder,
  maxLength,
}: {
  label: string;
  /** The accessible name of the button that lists the placeholders. */
  insertLabel: string;
  help?: string;
  error?: string | undefined;
  value: string;
  onChange: (value: string) => void;
  options: readonly Option[];
  isJson?: boolean;
  placeholder?: string;
  maxLength?: number;
}) {
  const listId = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const nextCaret = useRef<number | null>(null);
  const [open, setOpen] = useState<OpenPlaceholder | null>(null);
  const [active, setActive] = useState(0);
  const shown = open ? filterOptions(options, open) : [];

  // biome-ignore lint/correctness/useExhaustiveDependencies: the caret moves once the text has changed
  useLayoutEffect(() => {
    const caret = nextCaret.current;
    nextCaret.current = null;
    if (caret !== null) area.current?.setSelectionRange(caret, caret);
  }, [value]);

  const insert = (option: Option, { start, end }: { start: number; end: number }) => {
    const inserted = insertPlaceholder(value, option.value, { start, end, isJson });
    nextCaret.current = inserted.caret;
    onChange(inserted.text);
    setOpen(null);
  };
  const onType = ({ target }: ChangeEvent<HTMLTextAreaElement>) => {
    // Only JSON may have several lines. Line breaks that are pasted into a URL or a header are removed.
    onChange(isJson ? target.value : target.value.replace(/[\r\n]+/g, ""));
    setOpen(openPlaceholderAt(target.value, target.selectionStart, isJson));
    setActive(0);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const option = shown[active];
    if (open && option && event.key === "Enter") {
      event.preventDefault();
      insert(option, open);
    } else if (shown.length > 0 && by !== undefined) {
      event.preventDefault();
      setActive((active + by + shown.length) % shown.length);
    } else if (event.key === "Escape" && shown.length > 0) {
      event.stopPropagation();
      setOpen(null);
    } else if (event.key === "Enter" && !isJson) {
      event.preventDefault();
    }
  };
  const insertAtCaret = (option: Option) => {
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {};
    insert(option, { start: selectionStart, end: selectionEnd });
  };
  return (
    <Field label={label} help={help} error={error}>
      {(input) => (
        <div className="flex items-start gap-1">
          <div className="relative min-w-0 flex-1 contain-inline-size">
            <GrowingTextarea
              {...input}
              ref={area}
              rows={1}
              wrap={isJson ? "off" : "soft"}
              value={value}
              onChange={onType}
              onKeyDown={onKeyDown}
              onBlur={() => setOpen(null)}
              aria-autocomplete="list"
              aria-controls={listId}
              aria-activedescendant={shown.length > 0 ? `${listId}-${active}` : undefined}
              placeholder={placeholder}
              maxLength={maxLength}
              autoComplete="off"
              spellCheck={false}
              className={`${fieldBox} block max-h-[60vh] resize-none font-mono ${isJson ? "min-h-40 py-2" : "min-h-9!"}`}
            />
            <OptionList
              id={listId}
              label="Placeholder"
              options={shown}
              value=""
              active={active}
              choose={(option) => open && insert(option, open)}
              top={isJson && open ? topBelow(value.slice(0, open.start), area.current) : undefined}
            />
            <span role="status" className="sr-only">
              {shown.length > 0 && `${shown.length} placeholders. Choose one with the arrow keys and Enter.`}
            </span>
          </div>
          <Menu
            trigger={
              <IconButton label={insertLabel}>
                <Braces size={16} aria-hidden />
              </IconButton>
            }
            items={options.map((option) => ({
              label: option.value,
              ...(option.hint ? { hint: option.hint } : {}),
              onSelect: () => insertAtCaret(option),
            }))}
          />
        </div>
      )}
    </Field>
  );
}

/** The bottom of the line that contains the end of this text, in pixels from the top of the field. */
function topBelow(before: string, area: HTMLTextAreaElement | null): number {
  return PADDING + before.split("\n").length * LINE - (area?.scrollTop ?? 0);
}
