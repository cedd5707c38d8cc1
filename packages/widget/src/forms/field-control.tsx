/** @jsxImportSource preact */
import type { FormField } from "@foyer/contract";
import { describeField } from "@foyer/contract/rules/field-types";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../panel/icon.tsx";
import { useStore } from "../store.ts";
import { chooseAutoComplete } from "./auto-complete.ts";
import type { FieldProps } from "./field-props.ts";
import { useFormPanel } from "./form-panel.ts";

const MAX_ROWS = 10;

type Control = (props: FieldProps) => JSX.Element;
type InputAttributes = JSX.IntrinsicElements["input"];

/**
 * A single-line control. `attributes` choose the keyboard or picker. Validation is Foyer's own, so messages are the
 * same in every browser.
 */
export function createLineControl(attributes: InputAttributes | ((field: FormField) => InputAttributes)): Control {
  return function LineControl(props) {
    const { field, session } = props;
    const { value, ...shared } = useControl(props);
    return (
      <input
        {...shared}
        {...(typeof attributes === "function" ? attributes(field) : attributes)}
        {...toBounds(field)}
        class="input"
        dir={value === "" ? undefined : "auto"}
        value={value}
        readOnly={props.isLocked}
        placeholder={field.placeholder}
        autocomplete={chooseAutoComplete(field)}
        onInput={({ currentTarget: { value, validity } }) => session.change(field.name, value, !validity.badInput)}
      />
    );
  };
}

export function toNumberAttributes({ validation }: FormField): InputAttributes {
  // Numeric keyboards of some phones have no minus key, so they are used only for fields without negative numbers.
  const isPositive = Number(validation?.min?.value ?? -1) >= 0;
  // Browsers drop a comma or take it for a separator of thousands in a field of the type "number".
  return { type: "text", inputMode: isPositive ? "decimal" : undefined };
}

/**
 * Returns the limits for the browser's picker. A bound with a time zone is left out, because pickers use the visitor's
 * local time.
 */
function toBounds(field: FormField): { min?: string | undefined; max?: string | undefined } {
  if (!describeField(field).rules.includes("min")) return {};
  const { min, max } = field.validation ?? {};
  const local = (value: number | string | undefined) =>
    value === undefined || /[Z+]|-\d\d:\d\d$/.test(`${value}`) ? undefined : `${value}`;
  return { min: local(min?.value), max: local(max?.value) };
}

/** A multi-line control that grows with its text. It starts with three lines. */
export function TextControl(props: FieldProps): JSX.Element {
  const { field, session } = props;
  const { value, ...shared } = useControl(props);
  const element = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    if (element.current && !CSS.supports("field-sizing", "content")) grow(element.current);
  }, [value]);
  return (
    <textarea
      {...shared}
      ref={element}
      class="input"
      rows={3}
      dir={value === "" ? undefined : "auto"}
      value={value}
      readOnly={props.isLocked}
      placeholder={field.placeholder}
      onInput={(event) => session.change(field.name, event.currentTarget.value)}
    />
  );
}

export function SelectControl(props: FieldProps): JSX.Element {
  const { messages } = useFormPanel();
  const { field, session } = props;
  const { value, ...shared } = useControl(props);
  return (
    <div class="select">
      <select
        {...shared}
        class="input"
        value={value}
        disabled={props.isLocked}
        onChange={(event) => session.change(field.name, event.currentTarget.value)}
      >
        <option value="">{field.placeholder || messages.chooseOption}</option>
        {(field.options ?? []).map(({ value, label }) => (
          <option key={value} value={value}>
            {label || value}
          </option>
        ))}
      </select>
      <Icon name="next" />
    </div>
  );
}

function useControl({ field, id, session, isWrong, describedBy }: FieldProps) {
  const value = useStore(session.store).values[field.name] ?? "";
  return {
    id,
    name: field.name,
    part: "input",
    value: typeof value === "string" ? value : "",
    required: field.validation?.required?.value === true,
    "aria-invalid": isWrong ? ("true" as const) : undefined,
    "aria-describedby": describedBy,
    onBlur: ({ currentTarget }: { currentTarget: { validity: ValidityState } }) =>
      session.leave(field.name, !currentTarget.validity.badInput),
  };
}

/** Sets `rows`, because a page's Content Security Policy may refuse style attributes. */
function grow(field: HTMLTextAreaElement) {
  field.rows = 3;
  const line = Number.parseFloat(getComputedStyle(field).lineHeight) || 24;
  field.rows = Math.min(MAX_ROWS, Math.max(3, Math.round((field.scrollHeight - 20) / line)));
}
