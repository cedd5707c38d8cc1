import type { VisitorForm } from "@foyer/sdk";
import type { PanelContext } from "../panel/panel-context.ts";
import { createStore } from "../store.ts";
import { defaultValues } from "./default-values.ts";
import type { Failure } from "./error-messages.ts";
import { accepts, type FormValues } from "./field-values.ts";
import { type Problems, problemsOf } from "./form-check.ts";
import type { Draft } from "./form-memory.ts";
import { mediaTypeOf } from "./read-data-url.ts";

export type FormState = {
  values: FormValues;
  files: Readonly<Record<string, File>>;
  /** Fields whose file went with a reload. */
  lostFiles: readonly string[];
  /** Fields that are shown and not changed. One without a value that holds is not: nobody could send the form. */
  locked: ReadonlySet<string>;
  problems: Problems;
  phase: "editing" | "sending" | "sent";
  /** How much of an upload has gone out, from 0 to 1; null when there is nothing to tell. */
  progress: number | null;
  failure: Failure | null;
  /** How often it was refused, so that the focus can follow each time. */
  refusals: number;
  /** What the site's own code said to what was sent. */
  message: string | null;
  /** Sent just now: what it held is still here. */
  isFresh: boolean;
};

type Parts = {
  form: VisitorForm;
  draft: Draft | null;
  /** What the tool before the form found. */
  previousResult: unknown;
};

/** What is in a form: what the visitor has put in or left there before, and defaults for the rest. */
export function createFormState({ core, words }: PanelContext, { form, draft, previousResult }: Parts) {
  const { fields } = form.formSchema;
  const restored = Object.entries(draft?.values ?? {}).filter(([name, value]) =>
    fields.some((field) => field.name === name && accepts(field, value)),
  );
  const touched = new Set(restored.map(([name]) => name));
  const unreadable = new Set<string>();

  const check = ({ values, files }: Pick<FormState, "values" | "files">): Problems => {
    const facts = Object.entries(files).map(([name, file]) => [name, { type: mediaTypeOf(file), size: file.size }]);
    return problemsOf(fields, { values, files: Object.fromEntries(facts), unreadable }, words);
  };
  const defaults = () =>
    defaultValues(fields, { identity: core.visit.identity, context: core.registry.context, previousResult });
  const lockedIn = (values: FormValues): ReadonlySet<string> => {
    const problems = check({ values, files: {} });
    return new Set(fields.flatMap(({ name, disabled }) => (disabled && problems[name] === undefined ? [name] : [])));
  };
  /** What can no longer be changed is no longer what the visitor made of it: it could not be mended. */
  const filled = (values: FormValues): Pick<FormState, "values" | "locked"> => {
    const untouched = defaults();
    const locked = lockedIn(untouched);
    const kept = Object.entries(values).filter(([name]) => touched.has(name) && !locked.has(name));
    return { values: { ...untouched, ...Object.fromEntries(kept) }, locked };
  };
  const store = createStore<FormState>({
    ...filled(Object.fromEntries(restored)),
    files: {},
    lostFiles: draft?.files ?? [],
    problems: {},
    phase: "editing",
    progress: null,
    failure: null,
    refusals: 0,
    message: null,
    isFresh: false,
  });
  const patch = (changes: Partial<FormState>) => store.set({ ...store.get(), ...changes });

  return {
    store,
    patch,
    /** What the visitor has changed. */
    touched,
    /** Where the browser makes nothing of what was typed so far. */
    unreadable,
    check: () => check(store.get()),
    /** Somebody is known now who was not: what they have not touched shows it. */
    refill(): void {
      const { values, problems } = store.get();
      const { locked, ...rest } = filled(values);
      const open = Object.entries(problems).filter(([name]) => !locked.has(name));
      patch({ ...rest, locked, problems: Object.fromEntries(open) });
    },
  };
}

/** The server asked for some patience, and that is not over. */
export const isWaiting = (failure: Failure | null): boolean =>
  failure !== null && failure.until !== null && Date.now() < failure.until;
