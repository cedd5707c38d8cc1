import { FoyerError, getForm, type Request } from "@foyer/sdk";
import { createFormMemory } from "../forms/form-memory.ts";
import { randomId } from "../loader/random-id.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Words } from "../locales/en.ts";
import type { ChatEntries } from "./chat-entries.ts";
import type { FormEntry } from "./conversation-state.ts";
import { problemWords } from "./error-messages.ts";

export type StandingForms = ReturnType<typeof createStandingForms>;

/** The forms that triggers and the page show. The server knows of none: they stay until they are sent, also over a reload. */
export function createStandingForms(core: WidgetCore, request: Request, words: Words, entries: ChatEntries) {
  const memory = createFormMemory(core);
  const shown = () => entries.store.get().entries.filter((entry): entry is FormEntry => entry.type === "form");
  const finished = new Set<string>();
  // Also what was sent on a page that is come back from.
  const isOpen = ({ key }: { key: string }) => !finished.has(key) && memory.sent(key) === null;
  let before = core.visit.identity;
  core.bus.on("identity", (identity) => {
    // What was shown to somebody else is not for who comes next.
    if (before || !identity) for (const { key } of shown()) finished.add(key);
    before = identity;
  });
  const keep = () => {
    const forms = shown().filter(isOpen);
    memory.keepStanding(forms.flatMap(({ key, form }) => (form ? [{ key, form }] : [])));
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
      set(key, { problem: isGone ? words.formGone : problemWords(error, words) });
    }
  }

  return {
    load,
    show(wanted: string): string {
      const known = shown().find((entry) => {
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
    /** What is to be shown below a conversation that is loaded (again): after a reload only what somebody began to fill in. */
    standing(): FormEntry[] {
      const here = shown().filter(isOpen);
      const isElsewhere = (key: string) => !here.some((entry) => entry.key === key);
      const kept = memory.standing().filter((one) => isOpen(one) && isElsewhere(one.key) && memory.draft(one.key));
      const others = kept.map(({ key, form }) => ({
        key,
        form,
        type: "form" as const,
        wanted: form.toolId,
        problem: null,
      }));
      return [...others, ...here];
    },
    /** The visitor begins anew. */
    drop: () => memory.keepStanding([]),
  };
}
