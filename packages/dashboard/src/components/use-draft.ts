import { FoyerError } from "@foyer/sdk";
import { useEffect, useRef, useState } from "react";

/**
 * What the viewer is about to change. The server is the only judge of it: what it finds wrong is told at the field whose path it names
 * (`errorAt("widget.title")`), and the first such field gets the focus.
 */
export function useDraft<Values extends object>(saved: Values) {
  const [values, setValues] = useState(saved);
  const [errors, setErrors] = useState<FoyerError["details"]>([]);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const baseline = useRef(saved);
  const isDirty = JSON.stringify(values) !== JSON.stringify(baseline.current);

  // What was saved elsewhere meanwhile is shown, unless the viewer is in the middle of something.
  useEffect(() => {
    if (JSON.stringify(saved) === JSON.stringify(baseline.current)) return;
    const wasDirty = JSON.stringify(values) !== JSON.stringify(baseline.current);
    baseline.current = saved;
    if (!wasDirty) setValues(saved);
  }, [saved, values]);

  useEffect(() => {
    if (errors.length > 0) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [errors]);

  return {
    form,
    values,
    isDirty,
    isBusy,
    /** What is wrong beside the fields, in one text; for errors that no field of the form shows. */
    errors,
    change(part: Partial<Values>) {
      setValues((current) => ({ ...current, ...part }));
      // A field's error is gone as soon as somebody mends it.
      setErrors((current) => current.filter(({ path }) => !Object.keys(part).some((key) => isWithin(path, key))));
    },
    /** The first error at that path or below it. */
    errorAt(path: string): string | undefined {
      const error = errors.find((error) => isWithin(error.path, path));
      return error && toSentence(error.message);
    },
    reset(next: Values = baseline.current) {
      baseline.current = next;
      setValues(next);
      setErrors([]);
    },
    /** Runs `save` with the values. After a success they are what is saved; what the server finds wrong is put at the fields. */
    async submit(save: (values: Values) => Promise<unknown>): Promise<boolean> {
      setBusy(true);
      setErrors([]);
      try {
        await save(values);
        baseline.current = values;
        return true;
      } catch (error) {
        if (!(error instanceof FoyerError)) throw error;
        setErrors(error.details);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

function isWithin(path: string, prefix: string) {
  return path === prefix || path.startsWith(`${prefix}.`);
}

/** The server says `must not be blank`; under its field that stands alone. */
export function toSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?!]$/.test(message) ? "" : "."}`;
}
