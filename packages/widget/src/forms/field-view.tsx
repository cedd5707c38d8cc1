/** @jsxImportSource preact */
import type { FormField } from "@foyer/contract";
import type { JSX } from "preact";
import { usePanel } from "../panel/panel-context.ts";
import { useStore } from "../store.ts";
import { ChoicesField } from "./choices-field.tsx";
import { FieldControl } from "./field-control.tsx";
import type { FieldProps } from "./field-props.ts";
import { isFileField } from "./field-values.ts";
import { FileField } from "./file-field.tsx";
import type { FormSession } from "./form-session.ts";

/** A field: its label, the control, and below it what is wrong. */
export function FieldView({ field, id, session }: { field: FormField; id: string; session: FormSession }): JSX.Element {
  const { words } = usePanel();
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
          {words.fileNotKept}
        </p>
      ) : null}
      {problem === undefined ? null : (
        <p id={`${id}-problem`} class="problem" part="error" dir="auto">
          {problem}
        </p>
      )}
    </>
  );
  if (field.type === "multiselect") {
    return (
      <ChoicesField {...props} label={<Label field={field} />}>
        {below}
      </ChoicesField>
    );
  }
  return (
    <div class="field" part="field">
      <label class="label" part="label" for={id}>
        <Label field={field} />
      </label>
      {isFileField(field) ? <FileField {...props} /> : <FieldControl {...props} />}
      {below}
    </div>
  );
}

function Label({ field: { label, name, type, validation } }: { field: FormField }): JSX.Element {
  return (
    <>
      <bdi>{label.trim() || name}</bdi>
      {validation?.required?.value ? (
        // Controls say by themselves that they are required; a group of them cannot.
        <span class="mark" aria-hidden={type === "multiselect" ? undefined : "true"}>
          {" *"}
        </span>
      ) : null}
    </>
  );
}
