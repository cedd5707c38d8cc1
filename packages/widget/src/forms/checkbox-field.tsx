/** @jsxImportSource preact */
import type { JSX } from "preact";
import { useStore } from "../store.ts";
import type { FieldProps } from "./field-props.ts";

/** A box to tick, with its label beside it. */
export function CheckboxField({
  field,
  id,
  session,
  isLocked,
  isWrong,
  describedBy,
  label,
  children,
}: FieldProps): JSX.Element {
  const isTicked = useStore(session.store).values[field.name] === true;
  return (
    <div class={isWrong ? "field wrong" : "field"} part="field">
      <label class="choice" part="label" for={id}>
        <input
          id={id}
          type="checkbox"
          name={field.name}
          checked={isTicked}
          disabled={isLocked}
          required={field.validation?.required?.value === true}
          aria-invalid={isWrong ? "true" : undefined}
          aria-describedby={describedBy}
          onChange={(event) => session.change(field.name, event.currentTarget.checked)}
          onBlur={() => session.leave(field.name)}
        />
        <span>{label}</span>
      </label>
      {children}
    </div>
  );
}
