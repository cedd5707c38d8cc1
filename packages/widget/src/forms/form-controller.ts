import type { FormField } from "@foyer/contract";
import { holdsFile } from "@foyer/contract/rules/field-types";
import type { PanelContext } from "../panel/panel-context.ts";
import { type FormValue, isAnswered } from "./field-values.ts";
import type { FormEvents } from "./form-events.ts";
import type { Draft, FormMemory } from "./form-memory.ts";
import { createFormState, type FormState, isWaiting } from "./form-state.ts";

export type Filling = ReturnType<typeof createFilling>;

type Parts = Parameters<typeof createFormState>[1] & { key: string; events: FormEvents; memory: FormMemory };

/** What a visitor does in a form, and what is wrong with it, kept across reloads as it changes. */
export function createFilling(panel: PanelContext, parts: Parts) {
  const { core, words } = panel;
  const { form, key, events, memory, draft } = parts;
  const { store, patch, touched, unreadable, check, refill } = createFormState(panel, parts);
  let attempt = draft?.attempt ?? null;
  let isOver = false;

  const keep = () => {
    const { values, files, lostFiles, phase } = store.get();
    // What takes a field off the page also makes the visitor leave it.
    if (isOver || phase === "sent") return;
    memory.keepDraft({
      key,
      attempt,
      ...events.progress(),
      files: [...new Set([...lostFiles, ...Object.keys(files)])],
      values: Object.fromEntries([...touched].map((name) => [name, values[name] ?? ""])),
    });
  };
  /** A problem goes as soon as it is mended, and comes (`isLeft`) when the visitor is done with the field. */
  const recheck = (name: string, isLeft: boolean) => {
    const { [name]: before, ...others } = store.get().problems;
    const now = check();
    // Which of the files is one too many depends on all of them.
    const still = Object.entries(others).filter(([field, text]) => text !== words.filesTooLarge || now[field] === text);
    const mine = isLeft || before !== undefined ? Object.entries(now).filter(([field]) => field === name) : [];
    patch({ problems: Object.fromEntries([...still, ...mine]) });
  };
  const changed = (name: string, changes: Partial<FormState>, isLeft = false) => {
    // Somebody who fills in a form wants to see it again on the next page.
    if (core.storage.read("session", "open") !== true) core.storage.write("session", "open", true);
    core.bus.emit("interaction");
    events.started();
    attempt = null;
    const { failure } = store.get();
    patch({ ...changes, failure: isWaiting(failure) ? failure : null });
    recheck(name, isLeft);
    keep();
  };

  const change = (name: string, value: FormValue, isReadable = true) => {
    touched.add(name);
    if (isReadable) unreadable.delete(name);
    else unreadable.add(name);
    changed(name, { values: { ...store.get().values, [name]: value } });
  };

  return {
    store,
    patch,
    check,
    refill,
    /** From here on nothing of it is kept. */
    end(): void {
      isOver = true;
    },
    get isOver() {
      return isOver;
    },
    /** `isReadable` is false where the browser makes nothing of what was typed so far. */
    change,
    attach(name: string, file: File | null): void {
      const { [name]: _, ...others } = store.get().files;
      const lostFiles = store.get().lostFiles.filter((lost) => lost !== name);
      changed(name, { files: file ? { ...others, [name]: file } : others, lostFiles }, file !== null);
      if (file && store.get().problems[name] === undefined) events.completed(name);
    },
    /** The visitor goes on from a field. What was left empty is not complained about before the form is sent. */
    leave(name: string, isReadable = true): void {
      // Browsers tell nothing of half a date before it is left.
      if (isReadable === unreadable.has(name)) change(name, store.get().values[name] ?? "", isReadable);
      if (!touched.has(name) || (!isAnswered(store.get().values[name]) && !unreadable.has(name))) return;
      recheck(name, true);
      if (store.get().problems[name] !== undefined) return;
      events.completed(name);
      keep();
    },
    /** The names of the fields that hold something. */
    completed: (): string[] => form.formSchema.fields.filter((field) => isGiven(field, store.get())).map(nameOf),
    get attempt() {
      return attempt;
    },
    /** The same data is only ever sent under one key; changing it ends the attempt. */
    setAttempt(next: Draft["attempt"]): void {
      attempt = next;
      keep();
    },
  };
}

const nameOf = ({ name }: FormField) => name;

const isGiven = (field: FormField, { values, files }: FormState) =>
  holdsFile(field) ? files[field.name] !== undefined : isAnswered(values[field.name]);
