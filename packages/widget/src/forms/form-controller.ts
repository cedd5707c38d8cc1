import type { FormField } from "@foyer/contract";
import { holdsFile } from "@foyer/contract/rules/field-types";
import { type FormValue, isAnswered } from "../form-values/field-values.ts";
import type { Draft, FormStorage } from "../form-values/form-storage.ts";
import { readNumber, writeNumber } from "../form-values/read-number.ts";
import type { FormEvents } from "./form-events.ts";
import type { FormPanel } from "./form-panel.ts";
import { createFormState, type FormState, isWaiting } from "./form-state.ts";

export type FormController = ReturnType<typeof createFormController>;

type Parts = Parameters<typeof createFormState>[1] & { key: string; events: FormEvents; storage: FormStorage };

/** Applies the visitor's input to a form, validates it, and keeps a draft across reloads. */
export function createFormController(panel: FormPanel, parts: Parts) {
  const { core, messages } = panel;
  const { form, key, events, storage, draft } = parts;
  const { store, patch, touched, unreadable, check, refill } = createFormState(panel, parts);
  let attempt = draft?.attempt ?? null;
  let hasEnded = false;

  const save = () => {
    const { values, files, lostFiles, phase } = store.get();
    // Removing a focused field from the page also fires its blur event.
    if (hasEnded || phase === "sent") return;
    storage.saveDraft({
      key,
      attempt,
      ...events.progress(),
      files: [...new Set([...lostFiles, ...Object.keys(files)])],
      values: Object.fromEntries([...touched].map((name) => [name, values[name] ?? ""])),
    });
  };
  /**
   * Updates the problem of a field. A problem disappears as soon as it is fixed, but a new one appears only after the
   * visitor has left the field (`isLeft`).
   */
  const recheck = (name: string, isLeft: boolean) => {
    const { [name]: before, ...others } = store.get().problems;
    const now = check();
    // The limit on the total size involves all files.
    const still = Object.entries(others).filter(
      ([field, text]) => text !== messages.filesTooLarge || now[field] === text,
    );
    const mine = isLeft || before !== undefined ? Object.entries(now).filter(([field]) => field === name) : [];
    patch({ problems: Object.fromEntries([...still, ...mine]) });
  };
  const applyChanges = (name: string, changes: Partial<FormState>, isLeft = false) => {
    // Store that the panel is open, so that it reopens on the next page for a visitor who is filling in a form.
    if (core.storage.read("session", "open") !== true) core.storage.write("session", "open", true);
    core.bus.emit("interaction");
    events.started();
    attempt = null;
    const { failure } = store.get();
    patch({ ...changes, failure: isWaiting(failure) ? failure : null });
    recheck(name, isLeft);
    save();
  };

  const change = (name: string, value: FormValue, isReadable = true) => {
    touched.add(name);
    if (isReadable) unreadable.delete(name);
    else unreadable.add(name);
    applyChanges(name, { values: { ...store.get().values, [name]: value } });
  };

  /** Shows how the number that the visitor has typed was understood. */
  const showNumber = (name: string) => {
    const field = form.formSchema.fields.find((one) => one.name === name);
    const { [name]: value } = store.get().values;
    const number = field?.type === "number" && typeof value === "string" ? readNumber(value) : null;
    if (typeof number === "number")
      patch({ values: { ...store.get().values, [name]: writeNumber(number, core.locale) } });
  };

  return {
    store,
    patch,
    check,
    refill,
    /** Stops saving anything about this form. */
    end(): void {
      hasEnded = true;
    },
    get isOver() {
      return hasEnded;
    },
    /** `isReadable` is false while the browser cannot parse what was typed. */
    change,
    attach(name: string, file: File | null): void {
      const { [name]: _, ...others } = store.get().files;
      const lostFiles = store.get().lostFiles.filter((lost) => lost !== name);
      applyChanges(name, { files: file ? { ...others, [name]: file } : others, lostFiles }, file !== null);
      if (file && store.get().problems[name] === undefined) events.completed(name);
    },
    /**
     * Call this when the visitor leaves a field. An empty field is not reported as an error until the form is
     * submitted.
     */
    leave(name: string, isReadable = true): void {
      // Browsers don't report a partial date until the field loses the focus.
      if (isReadable === unreadable.has(name)) change(name, store.get().values[name] ?? "", isReadable);
      if (!touched.has(name) || (!isAnswered(store.get().values[name]) && !unreadable.has(name))) return;
      recheck(name, true);
      if (store.get().problems[name] !== undefined) return;
      showNumber(name);
      events.completed(name);
      save();
    },
    /** The names of the fields that have an answer. */
    completed: (): string[] => form.formSchema.fields.filter((field) => hasAnswer(field, store.get())).map(fieldName),
    get attempt() {
      return attempt;
    },
    /** Sets the attempt whose `Idempotency-Key` is reused for the same data. Changing the data ends the attempt. */
    setAttempt(next: Draft["attempt"]): void {
      attempt = next;
      save();
    },
  };
}

const fieldName = ({ name }: FormField) => name;

const hasAnswer = (field: FormField, { values, files }: FormState) =>
  holdsFile(field) ? files[field.name] !== undefined : isAnswered(values[field.name]);
