import { FoyerError } from "@foyer/sdk";
import { useEffect, useRef, useState } from "react";

/**
 * What the viewer is about to change. The server is the only judge of it: what it finds wrong is told at the field whose path it names
 * (`errorAt("widget.title")`), and the first such field gets the focus. `within` is where the server finds the values: `widget.`
 */
export function useDraft<Values extends object>(saved: Values, within = "") {
  const [values, setValues] = useState(saved);
  const [errors, setErrors] = useState<FoyerError["details"]>([]);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const baseline = useRef(saved);
  const seen = useRef(saved);
  const isDirty = !isSame(values, baseline.current);

  // What was saved elsewhere meanwhile is shown, but for what the viewer has changed.
  useEffect(() => {
    // What is being saved is compared with what it was made from.
    if (isBusy || isSame(saved, seen.current)) return;
    const before = baseline.current;
    seen.current = saved;
    baseline.current = saved;
    setValues((current) => ({
      ...current,
      ...differing(saved, before, (name) => isSame(current[name], before[name])),
    }));
  }, [saved, isBusy]);

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
    /** Changes a part. What comes later than the page it was made on, such as an undo, makes it of the values of then. */
    change(part: Partial<Values> | ((current: Values) => Partial<Values>)) {
      const partOf = (current: Values) => (typeof part === "function" ? part(current) : part);
      setValues((current) => ({ ...current, ...partOf(current) }));
      const names = Object.keys(partOf(values));
      // A field's error is gone as soon as somebody mends it.
      setErrors((current) => current.filter(({ path }) => !names.some((name) => isWithin(path, within + name))));
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
    /**
     * Runs `save` with the values, and with those alone that the viewer has changed: what others changed is not taken back.
     * After a success they are what is saved; what the server finds wrong is put at the fields.
     */
    async submit(save: (values: Values, changed: Partial<Values>) => Promise<unknown>): Promise<boolean> {
      setBusy(true);
      setErrors([]);
      try {
        await save(values, differing(values, baseline.current));
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

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Those of the values that are other than before, and that `isWanted`. */
function differing<Values extends object>(
  values: Values,
  before: Values,
  isWanted: (name: keyof Values) => boolean = () => true,
): Partial<Values> {
  const names = Object.keys(values) as Array<keyof Values>;
  const wanted = names.filter((name) => !isSame(values[name], before[name]) && isWanted(name));
  return Object.fromEntries(wanted.map((name) => [name, values[name]])) as Partial<Values>;
}

function isWithin(path: string, prefix: string) {
  return path === prefix || path.startsWith(`${prefix}.`);
}

/** The server says `must not be blank`; under its field that stands alone. */
export function toSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?!]$/.test(message) ? "" : "."}`;
}
