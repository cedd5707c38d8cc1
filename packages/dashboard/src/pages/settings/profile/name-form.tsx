import { maxNameLength } from "@foyer/contract/rules/plain-name";
import type { FormEvent } from "react";
import { Button } from "../../../components/button.tsx";
import { TextField } from "../../../components/field.tsx";
import { useDraft } from "../../../components/use-draft.ts";

/** A form with a single name. */
export function NameForm({
  label,
  help,
  name,
  autoComplete,
  onSave,
}: {
  label: string;
  help: string;
  name: string;
  autoComplete: string;
  /** Rejects with a FoyerError if the name is invalid. */
  onSave: (name: string) => Promise<unknown>;
}) {
  const draft = useDraft({ name });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void draft.submit((values) => onSave(values.name));
  };
  return (
    <form ref={draft.form} noValidate className="grid max-w-sm gap-3" onSubmit={submit}>
      <TextField
        label={label}
        help={help}
        autoComplete={autoComplete}
        maxLength={maxNameLength}
        value={draft.values.name}
        onChange={(value) => draft.change({ name: value })}
        error={draft.errorAt("name")}
      />
      {draft.isDirty && (
        <Button type="submit" variant="main" isBusy={draft.isBusy} className="justify-self-start">
          Save
        </Button>
      )}
    </form>
  );
}
