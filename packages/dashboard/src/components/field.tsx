import { type ComponentProps, type ReactNode, useId, useLayoutEffect, useRef } from "react";

type FieldProps = {
  label: string;
  /** One sentence about what to enter and why. */
  help?: ReactNode | undefined;
  /** Why the value is rejected. */
  error?: string | undefined;
  /** Marks the field as optional next to its label. */
  isOptional?: boolean | undefined;
};

export const fieldBox =
  "w-full rounded-lg border border-edge bg-raised px-3 min-h-9 py-1.5 aria-invalid:border-wrong disabled:bg-sunken disabled:text-soft pointer-coarse:min-h-11";

/** The label, help text and error that every input has. */
export function Field({
  label,
  help: givenHelp,
  error,
  isOptional,
  children,
}: FieldProps & {
  children: (input: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": true | undefined;
  }) => ReactNode;
}) {
  const id = useId();
  const help = error && isRepeated(givenHelp, error) ? undefined : givenHelp;
  const described = [error ? `${id}-error` : "", help ? `${id}-help` : ""].filter(Boolean).join(" ");
  return (
    // Without `content-start`, the inputs of a row grow to the height of the longest help text.
    <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-1">
      <label htmlFor={id} className="font-medium">
        {label}
        {isOptional && <span className="font-normal text-soft"> (optional)</span>}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error ? true : undefined,
      })}
      {error && (
        <p id={`${id}-error`} className="text-sm text-wrong">
          {error}
        </p>
      )}
      {help && (
        <p id={`${id}-help`} className="text-sm text-soft">
          {help}
        </p>
      )}
    </div>
  );
}

/** Whether the error repeats the help text, such as "At least 12 characters." */
function isRepeated(help: ReactNode, error: string): boolean {
  return typeof help === "string" && error.toLowerCase().includes(help.toLowerCase().replace(/\.$/, ""));
}

type Change<Value> = { value: Value; onChange: (value: Value) => void };

type Native<Tag extends "input" | "textarea" | "select"> = Omit<ComponentProps<Tag>, "value" | "onChange" | "id">;

export function TextField({
  label,
  help,
  error,
  isOptional,
  value,
  onChange,
  className = "",
  ...rest
}: FieldProps & Change<string> & Native<"input">) {
  return (
    <Field label={label} help={help} error={error} isOptional={isOptional}>
      {(input) => (
        <input
          {...rest}
          {...input}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={`${fieldBox} ${className}`}
        />
      )}
    </Field>
  );
}

/** A number field. The value is `null` while the text is not a number. */
export function NumberField({
  label,
  help,
  error,
  isOptional,
  value,
  onChange,
  className = "",
  ...rest
}: FieldProps & Change<number | null> & Native<"input">) {
  return (
    <Field label={label} help={help} error={error} isOptional={isOptional}>
      {(input) => (
        <input
          {...rest}
          {...input}
          type="number"
          value={value ?? ""}
          onChange={(event) => onChange(Number.isNaN(event.target.valueAsNumber) ? null : event.target.valueAsNumber)}
          className={`${fieldBox} ${className}`}
        />
      )}
    </Field>
  );
}

/** A text area that grows with its text. */
export function TextArea({
  label,
  help,
  error,
  isOptional,
  value,
  onChange,
  className = "",
  ...rest
}: FieldProps & Change<string> & Native<"textarea">) {
  return (
    <Field label={label} help={help} error={error} isOptional={isOptional}>
      {(input) => (
        <GrowingTextarea
          rows={3}
          {...rest}
          {...input}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={`${fieldBox} max-h-[60vh] min-h-20 ${className}`}
        />
      )}
    </Field>
  );
}

export function Select<Value extends string>({
  label,
  help,
  error,
  isOptional,
  value,
  onChange,
  options,
  className = "",
  ...rest
}: FieldProps &
  Change<Value> &
  Native<"select"> & { options: ReadonlyArray<{ value: Value; label: string; disabled?: boolean }> }) {
  return (
    <Field label={label} help={help} error={error} isOptional={isOptional}>
      {(input) => (
        <select
          {...rest}
          {...input}
          value={value}
          onChange={(event) => onChange(event.target.value as Value)}
          className={`${fieldBox} ${className}`}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** A switch, for settings that apply immediately and for values of a form. */
export function Toggle({
  label,
  help,
  value,
  onChange,
  isLabelHidden = false,
  disabled = false,
}: Pick<FieldProps, "label" | "help"> & Change<boolean> & { isLabelHidden?: boolean; disabled?: boolean }) {
  const id = useId();
  return (
    <div className="flex items-start gap-3">
      <button
        type="button"
        role="switch"
        id={id}
        aria-checked={value}
        aria-label={isLabelHidden ? label : undefined}
        aria-labelledby={isLabelHidden ? undefined : `${id}-label`}
        aria-describedby={help ? `${id}-help` : undefined}
        disabled={disabled}
        onClick={() => onChange(!value)}
        className="group relative mt-px h-5 w-9 shrink-0 rounded-full border border-edge bg-sunken transition-colors after:absolute after:inset-y-[3px] after:start-[3px] after:w-3 after:rounded-full after:bg-edge after:transition-transform before:absolute before:-inset-3 aria-checked:border-ink aria-checked:bg-ink aria-checked:after:translate-x-4 aria-checked:after:bg-paper"
      />
      {!isLabelHidden && (
        <div className="min-w-0">
          <label id={`${id}-label`} htmlFor={id} className="font-medium">
            {label}
          </label>
          {help && (
            <p id={`${id}-help`} className="text-sm text-soft">
              {help}
            </p>
          )}
        </div>
      )}
    </div>
  );
}

const growsByItself = () => CSS.supports("field-sizing", "content");

/**
 * A text area as wide as its place, whatever the length of its words, and as tall as its text, between the `min-h-*` and `max-h-*` of its class. Browsers without `field-sizing`
 * (Safari before 26, Firefox) get the height from a measurement.
 */
export function GrowingTextarea({
  className = "",
  value,
  ref,
  ...rest
}: ComponentProps<"textarea"> & { value: string }) {
  const area = useRef<HTMLTextAreaElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useLayoutEffect(() => {
    if (area.current && !growsByItself()) fit(area.current);
  }, [value]);
  return (
    <textarea
      {...rest}
      value={value}
      ref={(element) => {
        area.current = element;
        if (typeof ref === "function") return ref(element);
        if (ref) ref.current = element;
      }}
      className={`field-sizing-content max-w-full min-w-0 [overflow-wrap:anywhere] ${className}`}
    />
  );
}

function fit(area: HTMLTextAreaElement) {
  area.style.height = "auto";
  const borders = area.offsetHeight - area.clientHeight;
  area.style.height = `${area.scrollHeight + borders}px`;
}
