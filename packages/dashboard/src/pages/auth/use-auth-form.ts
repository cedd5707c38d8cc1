import { FoyerError } from "@foyer/sdk";
import { type FormEvent, useState } from "react";
import { useDraft } from "../../components/use-draft.ts";

/** A draft for the sign-in pages. `problem` is an error that concerns no single field. */
export function useAuthForm<Values extends object>(initial: Values, send: (values: Values) => Promise<unknown>) {
  const draft = useDraft(initial);
  const [problem, setProblem] = useState<string>();
  const submit = (act: (values: Values) => Promise<unknown>) => {
    setProblem(undefined);
    return draft.submit(async (values) => {
      try {
        await act(values);
      } catch (error) {
        const { details = [], message = "" } = error instanceof FoyerError ? error : {};
        // A wrong token belongs to no field of the form.
        const isAtField = details.some(({ path }) => path in initial);
        if (error instanceof FoyerError && !isAtField)
          setProblem(details[0] ? `The link ${details[0].message}.` : message);
        throw error;
      }
    });
  };
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    await submit(send);
  };
  return { ...draft, problem, submit, onSubmit };
}
