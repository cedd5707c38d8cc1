import { FoyerError, getForm } from "@foyer/sdk";
import { createFormStorage } from "../form-values/form-storage.ts";
import { randomId } from "../loader/random-id.ts";
import type { ChatEntries } from "./chat-entries.ts";
import type { ConversationDeps } from "./conversation-deps.ts";
import type { FormEntry } from "./conversation-state.ts";
import { errorMessageFor } from "./error-messages.ts";

export type PinnedForms = ReturnType<typeof createPinnedForms>;

/**
 * Forms shown by triggers and by the page. The server doesn't store them, so the browser keeps them until they are
 * submitted, even across reloads.
 */
export function createPinnedForms({ core, request, messages }: ConversationDeps, entries: ChatEntries) {
  const storage = createFormStorage(core);
  const listShownForms = () => entries.store.get().entries.filter((entry): entry is FormEntry => entry.type === "form");
  const finished = new Set<string>();
  // The form may have been submitted on a page that the visitor has left in the meantime.
  const isOpen = ({ key }: { key: string }) => !finished.has(key) && storage.sent(key) === null;
  let before = core.visitor.identity;
  core.bus.on("identity", (identity) => {
    // Do not show the previous visitor's forms.
    if (before || !identity) for (const { key } of listShownForms()) finished.add(key);
    before = identity;
  });
  const keep = () => {
    const forms = listShownForms().filter(isOpen);
    storage.savePinned(forms.flatMap(({ key, form }) => (form ? [{ key, form }] : [])));
  };
  const set = (key: string, changes: Partial<FormEntry>) =>
    entries.edit(key, (entry) => (entry.type === "form" ? { ...entry, ...changes } : entry));

  async function load({ key, wanted }: FormEntry): Promise<void> {
    set(key, { problem: null });
    try {
      set(key, { form: await getForm(request, wanted, core.agent.id) });
      keep();
    } catch (error) {
      const isGone = error instanceof FoyerError && error.status === 404;
      set(key, { problem: isGone ? messages.formGone : errorMessageFor(error, messages) });
    }
  }

  return {
    load,
    show(wanted: string): string {
      const known = listShownForms().find((entry) => {
        const names = [entry.wanted, entry.form?.toolId, entry.form?.toolName];
        return isOpen(entry) && names.includes(wanted);
      });
      if (known) {
        if (known.problem) void load(known);
        return known.key;
      }
      const entry: FormEntry = { type: "form", key: `form_${randomId()}`, wanted, form: null, problem: null };
      entries.add(entry);
      void load(entry);
      return entry.key;
    },
    finish(key: string): void {
      finished.add(key);
      keep();
    },
    /**
     * The forms to show below a loaded conversation. After a reload these are only the ones that the visitor had
     * started.
     */
    pinned(): FormEntry[] {
      const here = listShownForms().filter(isOpen);
      const isElsewhere = (key: string) => !here.some((entry) => entry.key === key);
      const kept = storage.pinned().filter((one) => isOpen(one) && isElsewhere(one.key) && storage.draft(one.key));
      const others = kept.map(({ key, form }) => ({
        key,
        form,
        type: "form" as const,
        wanted: form.toolId,
        problem: null,
      }));
      return [...others, ...here];
    },
    /** Removes all stored forms, for a new conversation. */
    clear: () => storage.savePinned([]),
  };
}
