/** @jsxImportSource preact */
import type { FieldType, FormField } from "@foyer/contract";
import { labelParts } from "@foyer/contract/rules/field-label";
import type { JSX } from "preact";
import { useStore } from "../store.ts";
import { CheckboxField } from "./checkbox-field.tsx";
import { ChoicesField } from "./choices-field.tsx";
import { createLineControl, SelectControl, TextControl, toNumberAttributes } from "./field-control.tsx";
import type { FieldProps } from "./field-props.ts";
import { FileField } from "./file-field.tsx";
import { useFormPanel } from "./form-panel.ts";
import type { FormSession } from "./form-session.ts";

/** The control of each type. Those in `selfLabeled` place their label themselves; the others get a label above them. */
const controls: Record<FieldType, (props: FieldProps) => JSX.Element> = {
  text: createLineControl({ type: "text" }),
  email: createLineControl({ type: "email", inputMode: "email", autocapitalize: "none", spellcheck: false }),
  tel: createLineControl({ type: "tel", inputMode: "tel", spellcheck: false }),
  number: createLineControl(toNumberAttributes),
  textarea: TextControl,
  select: SelectControl,
  multiselect: ChoicesField,
  date: createLineControl({ type: "date" }),
  datetime: createLineControl({ type: "datetime-local" }),
  file: FileField,
  image: FileField,
  checkbox: CheckboxField,
};
const selfLabeled = new Set<unknown>([ChoicesField, CheckboxField]);

/** A field: its label, its control, and any error below it. */
export function FieldView({ field, id, session }: { field: FormField; id: string; session: FormSession }): JSX.Element {
  const { messages } = useFormPanel();
  const { problems, locked, lostFiles } = useStore(session.store);
  const problem = problems[field.name];
  const isLost = lostFiles.includes(field.name);
  const notes = [problem === undefined ? "" : `${id}-problem`, isLost ? `${id}-lost` : ""].filter(Boolean).join(" ");
  const props: FieldProps = {
    field,
    id,
    session,
    isLocked: locked.has(field.name),
    isWrong: problem !== undefined,
    describedBy: notes || undefined,
  };
  const below = (
    <>
      {isLost ? (
        <p id={`${id}-lost`} class="hint">
          {messages.fileNotKept}
        </p>
      ) : null}
      {problem === undefined ? null : (
        <p id={`${id}-problem`} class="problem" part="error" dir="auto">
          {problem}
        </p>
      )}
    </>
  );
  const Control = controls[field.type];
  const isFramed = selfLabeled.has(Control);
  const label = <Label field={field} />;
  if (isFramed) {
    return (
      <Control {...props} label={label}>
        {below}
      </Control>
    );
  }
  return (
    <div class="field" part="field">
      <label class="label" part="label" for={id}>
        {label}
      </label>
      <Control {...props} />
      {below}
    </div>
  );
}

function Label({ field }: { field: FormField }): JSX.Element {
  return (
    <>
      <bdi>
        {labelParts(field).map(({ text, href }, index) =>
          href === undefined ? (
            text
          ) : (
            // Opens in a new tab: leaving this page would lose chosen files and, without storage consent, everything
            // typed.
            <a key={index} href={href} target="_blank" rel="noopener noreferrer nofollow">
              {text}
            </a>
          ),
        )}
      </bdi>
      {field.validation?.required?.value ? (
        // A control itself tells screen readers that it is required. A group cannot.
        <span class="mark" aria-hidden={field.type === "multiselect" ? undefined : "true"}>
          {" *"}
        </span>
      ) : null}
    </>
  );
}
