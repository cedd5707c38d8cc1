import { FoyerError } from "@foyer/sdk";
import { type FormEvent, useState } from "react";
import { useDraft } from "./use-draft.ts";

/** The draft of a dialog. `problem` is what went wrong with none of its fields, such as that the server is away. */
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
        if (error instanceof FoyerError) setProblem(problemOf(error, Object.keys(values)));
        throw error;
      }
    });
  };
  return { ...draft, problem, onSubmit };
}

/** What is wrong beside the fields of those names; `undefined` when everything stands at one of them. */
function problemOf({ message, details }: FoyerError, fields: string[]): string | undefined {
  if (details.length === 0) return message;
  const others = details.filter(({ path }) => !fields.includes(path.split(".")[0] ?? ""));
  return others.map(({ path, message }) => `${path} ${message}`.trim()).join("; ") || undefined;
}
