import { Plus, X } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { isComposing } from "../../components/composing.ts";

/** A list of short texts, one per row. Enter adds a row, and pasted lines become separate rows. */
export function ListField({
  label,
  itemLabel,
  help,
  values,
  onChange,
  errorAt,
  addLabel,
  max,
  placeholder,
  emptyText,
}: {
  label: string;
  /** The name of one row, such as "Origin". */
  itemLabel: string;
  help: string;
  values: readonly string[];
  onChange: (values: string[]) => void;
  /** The error of a row, counted from 0. Empty rows are not saved and not counted. */
  errorAt: (index: number) => string | undefined;
  addLabel: string;
  max: number;
  placeholder?: string;
  /** Explains what an empty list means. */
  emptyText: string;
}) {
  const id = useId();
  const rows = useRef<HTMLUListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  /** The row to focus once it is rendered. A timer could run after the first characters that the user types. */
  const awaited = useRef<number | null>(null);
  useEffect(() => {
    if (awaited.current === null) return;
    (rows.current?.querySelectorAll("input")[awaited.current] ?? addButton.current)?.focus();
    awaited.current = null;
  });
  const replace = (index: number, texts: string[]) => onChange([...values].toSpliced(index, 1, ...texts).slice(0, max));
  const findError = (index: number) =>
    isFilled(values[index]) ? errorAt(values.slice(0, index).filter(isFilled).length) : undefined;
  const add = () => {
    if (values.length >= max) return;
    awaited.current = values.length;
    onChange([...values, ""]);
  };
  return (
    <fieldset aria-describedby={`${id}-help`} className="grid min-w-0 gap-2">
      <legend className="mb-1 font-medium">{label}</legend>
      {values.length === 0 && <p className="text-soft">{emptyText}</p>}
      <ul ref={rows} className="grid gap-2 empty:hidden">
        {values.map((value, index) => (
          <Row
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position; texts may repeat while they are edited
            key={index}
            value={value}
            placeholder={placeholder ?? ""}
            label={`${itemLabel} ${index + 1}`}
            error={findError(index)}
            onChange={(texts) => replace(index, texts)}
            onEnter={add}
            onRemove={() => {
              awaited.current = Math.max(0, index - 1);
              replace(index, []);
            }}
          />
        ))}
      </ul>
      <div>
        <Button ref={addButton} onClick={add} disabled={values.length >= max}>
          <Plus size={16} aria-hidden /> {addLabel}
        </Button>
      </div>
      <p id={`${id}-help`} className="text-sm text-soft">
        {help}
      </p>
    </fieldset>
  );
}

const isFilled = (text = "") => text.trim() !== "";

/** The texts that are saved: trimmed and without empty rows. */
export const dropEmpty = (texts: readonly string[]) => texts.filter(isFilled).map((text) => text.trim());

function Row({
  value,
  label,
  placeholder,
  error,
  onChange,
  onEnter,
  onRemove,
}: {
  value: string;
  label: string;
  placeholder: string;
  error: string | undefined;
  onChange: (texts: string[]) => void;
  onEnter: () => void;
  onRemove: () => void;
}) {
  const id = useId();
  return (
    <li className="grid gap-1">
      <div className="flex gap-1">
        <input
          value={value}
          aria-label={label}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? id : undefined}
          placeholder={placeholder}
          onChange={(event) => onChange([event.target.value])}
          onPaste={(event) => {
            const lines = event.clipboardData
              .getData("text")
              .split(/[\r\n]+/)
              .map((line) => line.trim());
            if (lines.length < 2) return;
            event.preventDefault();
            onChange(lines.filter((line) => line !== ""));
          }}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || isComposing(event)) return;
            // Without this, Enter would save the whole form.
            event.preventDefault();
            if (value.trim() !== "") onEnter();
          }}
          className="min-h-9 w-full min-w-0 rounded-lg border border-edge bg-raised px-3 py-1.5 aria-invalid:border-wrong pointer-coarse:min-h-11"
        />
        <IconButton label={`Remove ${value.trim() || label.toLowerCase()}`} onClick={onRemove}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {error && (
        <p id={id} className="text-sm text-wrong">
          {error}
        </p>
      )}
    </li>
  );
}
