import { ArrowDown, ArrowUp, Plus, X } from "lucide-react";
import { useEffect, useId, useRef } from "react";
import { Button, IconButton } from "../../components/button.tsx";
import { Combobox } from "../../components/combobox.tsx";
import { useModelOptions } from "./model-field.tsx";
import { DEMO_MODEL } from "./model-name.ts";

/** The models that can answer in place of the agent's own one, and their labels. */
const labels = ["Second model", "Third model", "Fourth model"] as const;

/** The models that answer when the agent's own model fails, in order. */
export function FallbackModelsField({
  values,
  ownModel,
  onChange,
  errorAt,
}: {
  values: readonly string[];
  /** The agent's own model, which cannot be its fallback; `null` for the default model. */
  ownModel: string | null;
  onChange: (models: string[]) => void;
  /** The error of a model, counted from 0 without empty fields, or of the whole list. */
  errorAt: (index: number | null) => string | undefined;
}) {
  const id = useId();
  const rows = useRef<HTMLOListElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  /** What to focus once the changed list is rendered: an element of a row, or the button below the list. */
  const awaited = useRef<{ row: number; selector: string } | null>(null);
  useEffect(() => {
    if (awaited.current === null) return;
    const { row, selector } = awaited.current;
    const found = rows.current?.children[row]?.querySelector<HTMLElement>(selector);
    (found ?? addButton.current)?.focus();
    awaited.current = null;
  });
  const options = useModelOptions().filter(({ value }) => value !== DEMO_MODEL && value !== ownModel);
  const move = (at: number, by: 1 | -1) => {
    const to = at + by;
    const isAtEnd = to === 0 || to === values.length - 1;
    // A button that has just been disabled cannot keep the focus.
    const direction = by < 0 === isAtEnd ? "down" : "up";
    awaited.current = { row: to, selector: `[data-move=${direction}]` };
    onChange(values.toSpliced(at, 1).toSpliced(to, 0, values[at] ?? ""));
  };
  const lastIndex = values.length - 1;
  return (
    <fieldset aria-describedby={`${id}-help`} className="grid min-w-0 gap-2">
      <legend className="mb-1 font-medium">Fallback models</legend>
      <ol ref={rows} className="grid gap-3 empty:hidden">
        {values.map((value, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a field is identified by its position; its text changes while it is edited
            key={index}
            className="grid grid-cols-[minmax(0,1fr)_auto] gap-1"
          >
            <Combobox
              label={labels[index] ?? ""}
              placeholder="provider/model"
              className=""
              options={options.filter((option) => option.value === value || !values.includes(option.value))}
              value={value}
              onChange={(model) => onChange(values.toSpliced(index, 1, model))}
              error={findError(values, index, errorAt) ?? (index === lastIndex ? errorAt(null) : undefined)}
            />
            <div className="mt-6 flex">
              <IconButton
                label={`Move ${value || labels[index]?.toLowerCase()} up`}
                data-move="up"
                disabled={index === 0}
                onClick={() => move(index, -1)}
              >
                <ArrowUp size={16} aria-hidden />
              </IconButton>
              <IconButton
                label={`Move ${value || labels[index]?.toLowerCase()} down`}
                data-move="down"
                disabled={index === lastIndex}
                onClick={() => move(index, 1)}
              >
                <ArrowDown size={16} aria-hidden />
              </IconButton>
              <IconButton
                label={`Remove ${value || labels[index]?.toLowerCase()}`}
                onClick={() => {
                  awaited.current = { row: Math.max(index - 1, 0), selector: "input" };
                  onChange(values.toSpliced(index, 1));
                }}
              >
                <X size={16} aria-hidden />
              </IconButton>
            </div>
          </li>
        ))}
      </ol>
      {values.length < labels.length && (
        <div>
          <Button
            ref={addButton}
            onClick={() => {
              awaited.current = { row: values.length, selector: "input" };
              onChange([...values, ""]);
            }}
          >
            <Plus size={16} aria-hidden /> Add fallback model
          </Button>
        </div>
      )}
      <p id={`${id}-help`} className="text-sm text-soft">
        They answer, in this order, when the model above fails before its first word. Choose another provider, so that
        one outage does not stop both.
      </p>
    </fieldset>
  );
}

/** Empty fields are not saved and not counted. */
function findError(values: readonly string[], index: number, errorAt: (index: number) => string | undefined) {
  return values[index]?.trim() ? errorAt(values.slice(0, index).filter((text) => text.trim()).length) : undefined;
}
