/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useStore } from "../store.ts";
import type { FieldProps } from "./field-props.ts";

/** Several options, any number of which can be chosen. They are submitted in the order in which they are offered. */
export function ChoicesField({
  field,
  id,
  session,
  isLocked,
  isWrong,
  describedBy,
  label,
  children,
}: FieldProps): JSX.Element {
  const value = useStore(session.store).values[field.name] ?? [];
  const chosen = typeof value === "object" ? value : [];
  const options = field.options ?? [];
  const toggle = (option: string, isChosen: boolean) => {
    const next = options.filter((one) => (one.value === option ? isChosen : chosen.includes(one.value)));
    session.change(
      field.name,
      next.map((one) => one.value),
    );
  };
  const onFocusOut = ({ currentTarget, relatedTarget }: FocusEvent) => {
    if (!(currentTarget as Element).contains(relatedTarget as Node | null)) session.leave(field.name);
  };
  return (
    <fieldset
      class={isWrong ? "field wrong" : "field"}
      part="field"
      aria-describedby={describedBy}
      disabled={isLocked}
      onFocusOut={onFocusOut}
    >
      <legend class="label" part="label">
        {label}
      </legend>
      {options.map((option, index) => (
        <label key={option.value} class="choice" for={`${id}-${index}`}>
          <input
            id={`${id}-${index}`}
            type="checkbox"
            name={field.name}
            value={option.value}
            checked={chosen.includes(option.value)}
            aria-invalid={isWrong ? "true" : undefined}
            aria-describedby={describedBy}
            onChange={(event) => toggle(option.value, event.currentTarget.checked)}
          />
          <bdi>{option.label || option.value}</bdi>
        </label>
      ))}
      {children}
    </fieldset>
  );
}
