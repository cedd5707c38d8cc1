/** @jsxImportSource preact */
import type { FormField } from "@foyer/contract";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../panel/icon.tsx";
import { usePanel } from "../panel/panel-context.ts";
import { useStore } from "../store.ts";
import { autoCompleteOf } from "./auto-complete.ts";
import type { FieldProps } from "./field-props.ts";

const MOST_ROWS = 10;

/** A control for one value: a line, a text, one of several options, a number, a day or a moment. */
export function FieldControl(props: FieldProps): JSX.Element {
  const { type } = props.field;
  if (type === "select") return <SelectControl {...props} />;
  return type === "textarea" ? <TextControl {...props} /> : <LineControl {...props} />;
}

function LineControl(props: FieldProps): JSX.Element {
  const { field, session } = props;
  const { value, ...shared } = useControl(props);
  return (
    <input
      {...shared}
      {...lineKinds[field.type]}
      {...boundsOf(field)}
      {...keyboardOf(field)}
      class="input"
      dir={value === "" ? undefined : "auto"}
      value={value}
      readOnly={props.isLocked}
      placeholder={field.placeholder}
      autocomplete={autoCompleteOf(field)}
      onInput={({ currentTarget: { value, validity } }) => session.change(field.name, value, !validity.badInput)}
      {...(field.type === "number" ? { onWheel: letScroll } : {})}
    />
  );
}

/** The keyboards and pickers that fit. The rules are checked by us, in the same words everywhere. */
const lineKinds: Partial<Record<FormField["type"], JSX.IntrinsicElements["input"]>> = {
  text: { type: "text" },
  email: { type: "email", inputMode: "email", autocapitalize: "none", spellcheck: false },
  tel: { type: "tel", inputMode: "tel", spellcheck: false },
  number: { type: "number", step: "any" },
  date: { type: "date" },
  datetime: { type: "datetime-local" },
};

/** The phones' keyboard of figures alone: some have no minus on it. */
function keyboardOf({ type, validation }: FormField): { inputMode?: "decimal" } {
  return type === "number" && Number(validation?.min?.value ?? -1) >= 0 ? { inputMode: "decimal" } : {};
}

/** What a picker does not offer, as far as it can say it: a moment in another zone is not for the visitor's clock. */
function boundsOf({ type, validation: { min, max } = {} }: FormField): { min?: string; max?: string } {
  if (type !== "number" && type !== "date" && type !== "datetime") return {};
  const say = (name: "min" | "max", value: number | string | undefined) =>
    value === undefined || /[Z+]|-\d\d:\d\d$/.test(`${value}`) ? {} : { [name]: `${value}` };
  return { ...say("min", min?.value), ...say("max", max?.value) };
}

/** As high as what is in it, from three lines on. */
function TextControl(props: FieldProps): JSX.Element {
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

function SelectControl(props: FieldProps): JSX.Element {
  const { words } = usePanel();
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
        <option value="">{field.placeholder || words.chooseOption}</option>
        {(field.options ?? []).map(({ value, label }) => (
          <option key={value} value={value}>
            {label || value}
          </option>
        ))}
      </select>
      <Icon name="choose" />
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

/** Else a wheel over a number that has the focus changes it. */
function letScroll(event: { currentTarget: HTMLInputElement }) {
  event.currentTarget.blur();
}

/** By `rows`, because style attributes may be refused. */
function grow(field: HTMLTextAreaElement) {
  field.rows = 3;
  const line = Number.parseFloat(getComputedStyle(field).lineHeight) || 24;
  field.rows = Math.min(MOST_ROWS, Math.max(3, Math.round((field.scrollHeight - 20) / line)));
}
