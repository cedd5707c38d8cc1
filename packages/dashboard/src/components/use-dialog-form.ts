import { FoyerError } from "@foyer/sdk";
import { type FormEvent, useState } from "react";
import { useDraft } from "./use-draft.ts";

/** The draft of a dialog. `problem` is an error that concerns no field, such as an unreachable server. */
export function useDialogForm<Values extends object>(initial: Values, save: (values: Values) => Promise<unknown>) {
  const draft = useDraft(initial);
  const [problem, setProblem] = useState<string>();
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem(undefined);
    return draft.submit(async (values) => {
      try {
        await save(values);
      } catch (error) {
        if (error instanceof FoyerError) setProblem(describeProblem(error, Object.keys(values)));
        throw error;
      }
    });
  };
  return { ...draft, problem, onSubmit };
}

/** The errors that belong to none of the fields, or `undefined` if each error is shown at a field. */
function describeProblem({ message, details }: FoyerError, fields: string[]): string | undefined {
  if (details.length === 0) return message;
  const others = details.filter(({ path }) => !fields.includes(path.split(".")[0] ?? ""));
  return others.map(({ path, message }) => `${path} ${message}`.trim()).join("; ") || undefined;
}
