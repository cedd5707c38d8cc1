import { FoyerError } from "@foyer/sdk";
import { useEffect, useRef, useState } from "react";

/**
 * The values of a form while they are edited. The server validates them. Its errors appear at the fields with the same
 * path (`errorAt("widget.title")`), and the first of them gets the focus. `within` is the path prefix of the values on
 * the server, such as `widget.`
 */
export function useDraft<Values extends object>(saved: Values, within = "") {
  const [values, setValues] = useState(saved);
  const [errors, setErrors] = useState<FoyerError["details"]>([]);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const baseline = useRef(saved);
  const seen = useRef(saved);
  const isDirty = !isSame(values, baseline.current);

  // Values that were saved elsewhere in the meantime replace those the user has not changed.
  useEffect(() => {
    // While saving, keep comparing changes with the values they are based on.
    if (isBusy || isSame(saved, seen.current)) return;
    const before = baseline.current;
    seen.current = saved;
    baseline.current = saved;
    setValues((current) => ({
      ...current,
      ...pickChanges(saved, before, (name) => isSame(current[name], before[name])),
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
    /** All errors, including those that belong to no field of the form. */
    errors,
    /**
     * Changes some values. Pass a function to base the change on the values at that time, for example to undo
     * something.
     */
    change(part: Partial<Values> | ((current: Values) => Partial<Values>)) {
      const resolvePart = (current: Values) => (typeof part === "function" ? part(current) : part);
      setValues((current) => ({ ...current, ...resolvePart(current) }));
      const names = Object.keys(resolvePart(values));
      // An error disappears once its field is edited.
      setErrors((current) => current.filter(({ path }) => !names.some((name) => isWithin(path, within + name))));
    },
    /** The first error at that path or below it. */
    errorAt(path: string): string | undefined {
      const error = errors.find((error) => isWithin(error.path, path));
      if (!error) return undefined;
      return isBlank(values, error.path.slice(within.length)) ? "This field is required." : toSentence(error.message);
    },
    reset(next: Values = baseline.current) {
      baseline.current = next;
      setValues(next);
      setErrors([]);
    },
    /**
     * Runs `save` with all values and with the changed ones, so that other members' changes are not reverted. @returns
     * whether it succeeded; the server's errors appear at the fields
     */
    async submit(save: (values: Values, changed: Partial<Values>) => Promise<unknown>): Promise<boolean> {
      setBusy(true);
      setErrors([]);
      try {
        await save(values, pickChanges(values, baseline.current));
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

/** The changed values that `isWanted` selects. */
function pickChanges<Values extends object>(
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

/**
 * Whether the value at that path is an empty text. For those, the server reports several broken rules at once, such as
 * a length and a pattern.
 */
function isBlank(values: object, path: string): boolean {
  let value: unknown = values;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return typeof value === "string" && value.trim() === "";
}

/** Turns a server message such as `must not be blank` into a sentence. */
export function toSentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${/[.?!]$/.test(message) ? "" : "."}`;
}
