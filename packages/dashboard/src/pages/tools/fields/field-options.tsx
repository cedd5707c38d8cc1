import type { FormField } from "@foyer/contract";
import { formTextLimits } from "@foyer/contract/rules/limits";
import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import type { ClipboardEvent } from "react";
import { Button, IconButton } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { toFieldName } from "../tool-name.ts";

type Option = NonNullable<FormField["options"]>[number];

/** The options that visitors choose from. Pasting several lines into a label adds an option per line. */
export function FieldOptions({
  options,
  onChange,
  errorAt,
}: {
  options: Option[];
  onChange: (options: Option[]) => void;
  errorAt: (path: string) => string | undefined;
}) {
  const change = (index: number, part: Partial<Option>) =>
    onChange(options.map((o, i) => (i === index ? { ...o, ...part } : o)));
  const relabel = (index: number, option: Option, label: string) =>
    change(index, { label, ...(option.value === valueFor(option.label) ? { value: valueFor(label) } : {}) });
  const move = (index: number, step: number) => {
    const option = options[index];
    if (option) onChange(options.toSpliced(index, 1).toSpliced(index + step, 0, option));
  };
  const paste = (index: number) => (event: ClipboardEvent) => {
    const lines = event.clipboardData
      .getData("text")
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter(Boolean);
    if (lines.length < 2) return;
    event.preventDefault();
    onChange(options.toSpliced(index, 1, ...lines.map((label) => ({ label, value: valueFor(label) }))));
  };
  const error = options.length === 0 ? errorAt("") : undefined;
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 font-medium">Options</legend>
      {options.map((option, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the key must not change while the value is edited
        <div key={index} className="flex items-start gap-2">
          <div className="min-w-0 flex-1" onPaste={paste(index)}>
            <TextField
              label={`Option ${index + 1}`}
              value={option.label}
              onChange={(label) => relabel(index, option, label)}
              error={errorAt(`.${index}.label`)}
              maxLength={formTextLimits.option}
              autoComplete="off"
            />
          </div>
          <div className="min-w-0 flex-1">
            <TextField
              label={`Value ${index + 1}`}
              value={option.value}
              onChange={(value) => change(index, { value })}
              error={errorAt(`.${index}.value`)}
              maxLength={formTextLimits.option}
              autoComplete="off"
              spellCheck={false}
              className="font-mono"
            />
          </div>
          <div className="mt-6 flex">
            <IconButton
              label={`Move option ${index + 1} up`}
              disabled={index === 0}
              onClick={() => move(index, -1)}
              className="max-sm:hidden"
            >
              <ArrowUp size={16} aria-hidden />
            </IconButton>
            <IconButton
              label={`Move option ${index + 1} down`}
              disabled={index === options.length - 1}
              onClick={() => move(index, 1)}
              className="max-sm:hidden"
            >
              <ArrowDown size={16} aria-hidden />
            </IconButton>
            <IconButton label={`Remove option ${index + 1}`} onClick={() => onChange(options.toSpliced(index, 1))}>
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </div>
      ))}
      {error && <p className="text-sm text-wrong">{error}</p>}
      <div className="flex flex-wrap items-center gap-3">
        <Button onClick={() => onChange([...options, { label: "", value: "" }])}>
          <Plus size={16} aria-hidden /> Add option
        </Button>
        <p className="text-sm text-soft">You can also paste a list with one option per line.</p>
      </div>
    </fieldset>
  );
}

const valueFor = (label: string) => toFieldName(label) || label;
