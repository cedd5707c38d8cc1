import type { VisitorForm } from "@foyer/sdk";
import type { Answers } from "../form-values/answers.ts";
import { accepts, type FormValues } from "../form-values/field-values.ts";
import type { Draft } from "../form-values/form-storage.ts";
import { sendableIdentity } from "../loader/page-values.ts";
import { createStore } from "../store.ts";
import { defaultValues } from "./default-values.ts";
import type { Failure } from "./error-messages.ts";
import { type Problems, validateAnswers } from "./form-check.ts";
import type { FormPanel } from "./form-panel.ts";
import { readMediaType } from "./read-data-url.ts";

export type FormState = {
  values: FormValues;
  files: Readonly<Record<string, File>>;
  /** Fields that lost their file in a reload. */
  lostFiles: readonly string[];
  /**
   * Disabled fields. A disabled field with an invalid default stays editable, because the form could never be
   * submitted otherwise.
   */
  locked: ReadonlySet<string>;
  problems: Problems;
  phase: "editing" | "sending" | "sent";
  /** Upload progress from 0 to 1, or null when nothing is being uploaded. */
  progress: number | null;
  failure: Failure | null;
  /** Number of rejected attempts. Each one moves the focus to the first error. */
  refusals: number;
  /** The result message of the site's form handler. */
  message: string | null;
  /** The submitted answers. Empty if the form was submitted in another tab. */
  answers: Answers;
};

type Parts = {
  form: VisitorForm;
  draft: Draft | null;
  /** The result of the tool call before the form. */
  previousResult: unknown;
};

/** Creates the state of a form from the restored draft, with defaults for the remaining fields. */
export function createFormState({ core, messages }: FormPanel, { form, draft, previousResult }: Parts) {
  const { fields } = form.formSchema;
  const restored = Object.entries(draft?.values ?? {}).filter(([name, value]) =>
    fields.some((field) => field.name === name && accepts(field, value)),
  );
  const touched = new Set(restored.map(([name]) => name));
  const unreadable = new Set<string>();

  const check = ({ values, files }: Pick<FormState, "values" | "files">): Problems => {
    const facts = Object.entries(files).map(([name, file]) => [name, { type: readMediaType(file), size: file.size }]);
    return validateAnswers(
      fields,
      { values, files: Object.fromEntries(facts), unreadable },
      { messages, locale: core.locale },
    );
  };
  const createDefaults = () =>
    defaultValues(fields, { identity: sendableIdentity(core.visitor), context: core.registry.context, previousResult });
  const findLocked = (values: FormValues): ReadonlySet<string> => {
    const problems = check({ values, files: {} });
    return new Set(fields.flatMap(({ name, disabled }) => (disabled && problems[name] === undefined ? [name] : [])));
  };
  /**
   * Merges entered values with default values. A field that is now locked gets its default, because the visitor could
   * not correct it.
   */
  const fillDefaults = (values: FormValues): Pick<FormState, "values" | "locked"> => {
    const untouched = createDefaults();
    const locked = findLocked(untouched);
    const kept = Object.entries(values).filter(([name]) => touched.has(name) && !locked.has(name));
    return { values: { ...untouched, ...Object.fromEntries(kept) }, locked };
  };
  const store = createStore<FormState>({
    ...fillDefaults(Object.fromEntries(restored)),
    files: {},
    lostFiles: draft?.files ?? [],
    problems: {},
    phase: "editing",
    progress: null,
    failure: null,
    refusals: 0,
    message: null,
    answers: [],
  });
  const patch = (changes: Partial<FormState>) => store.set({ ...store.get(), ...changes });

  return {
    store,
    patch,
    /** Names of the fields that the visitor has changed. */
    touched,
    /** Names of the fields whose input the browser cannot parse. */
    unreadable,
    check: () => check(store.get()),
    /** Recomputes the defaults of untouched fields after the visitor has been identified. */
    refill(): void {
      const { values, problems } = store.get();
      const { locked, ...rest } = fillDefaults(values);
      const open = Object.entries(problems).filter(([name]) => !locked.has(name));
      patch({ ...rest, locked, problems: Object.fromEntries(open) });
    },
  };
}

/** Whether the server requested a later retry and that time has not come yet. */
export const isWaiting = (failure: Failure | null): boolean =>
  failure !== null && failure.until !== null && Date.now() < failure.until;
