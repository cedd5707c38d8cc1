import type { VisitorForm } from "@foyer/sdk";
import type { StorageArea } from "../loader/consent-storage.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { Answers } from "./answers.ts";
import type { FormValue } from "./field-values.ts";

/** A form that has been started but not submitted. Files are not stored. */
export type Draft = {
  key: string;
  /** The values that the visitor entered. Other fields get their defaults. */
  values: Record<string, FormValue>;
  /** The names of the fields that had a file. */
  files: string[];
  /** Milliseconds since 1970. */
  impressionAt: number | null;
  startedAt: number | null;
  completed: string[];
  /** The `Idempotency-Key` and conversation of an attempt that got no response. */
  attempt: { key: string; conversationId: string | null } | null;
};

/** A form outside of any reply, which the server does not store. `key` is also its `formInstanceId`. */
export type PinnedForm = { key: string; form: VisitorForm };

/** Pinned forms have generated keys. The keys of forms in replies contain the id of the reply. */
export const isPinned = (key: string): boolean => key.startsWith("form_");

/** A form that was submitted from this browser. `message` is the result message of the site's form handler. */
export type SentForm = { key: string; message: string | null };

/** The answers of a form that was submitted from this tab. */
export type SentAnswers = { key: string; answers: Answers };

type StoredForms = { drafts: Draft[]; pinned: PinnedForm[]; sent: SentForm[]; answers: SentAnswers[] };

const ANONYMOUS = "anonymous";
/** The maximum number of entries in each list. Only the newest ones are kept. */
const MAX_STORED = 50;

export type FormStorage = ReturnType<typeof createFormStorage>;

/**
 * Stores drafts and submitted answers for the tab, and the keys of submitted forms for the browser. The data belongs to one visitor. An anonymous
 * visitor's data moves to the user who is identified next.
 */
export function createFormStorage({ storage, visitor }: Pick<WidgetCore, "storage" | "visitor">) {
  const ownerKey = () => (visitor.identity ? `user:${visitor.identity.userId}` : ANONYMOUS);

  const read = (place: StorageArea): Partial<StoredForms> => {
    const kept = storage.read(place, "forms") as (Partial<StoredForms> & { whose?: unknown }) | null;
    return kept && (kept.whose === ownerKey() || kept.whose === ANONYMOUS) ? kept : {};
  };
  const list = <Name extends keyof StoredForms>(place: StorageArea, name: Name): StoredForms[Name] => {
    const kept: unknown = read(place)[name];
    return (Array.isArray(kept) ? kept.filter((one) => typeof one?.key === "string") : []) as StoredForms[Name];
  };
  const write = <Name extends keyof StoredForms>(place: StorageArea, name: Name, next: StoredForms[Name]) =>
    storage.write(place, "forms", { ...read(place), whose: ownerKey(), [name]: next.slice(0, MAX_STORED) });

  return {
    draft: (key: string): Draft | null => list("session", "drafts").find((draft) => draft.key === key) ?? null,
    saveDraft(draft: Draft): void {
      write("session", "drafts", [draft, ...list("session", "drafts").filter(({ key }) => key !== draft.key)]);
    },
    deleteDraft(key: string): void {
      const drafts = list("session", "drafts");
      if (drafts.some((draft) => draft.key === key)) {
        write(
          "session",
          "drafts",
          drafts.filter((draft) => draft.key !== key),
        );
      }
    },
    /** Pinned forms, oldest first. */
    pinned: (): PinnedForm[] => list("session", "pinned").filter(({ form }) => Array.isArray(form?.formSchema?.fields)),
    savePinned: (pinned: PinnedForm[]) => write("session", "pinned", pinned.slice(-MAX_STORED)),
    sent: (key: string): SentForm | null => list("local", "sent").find((sent) => sent.key === key) ?? null,
    answers: (key: string): Answers => list("session", "answers").find((sent) => sent.key === key)?.answers ?? [],
    saveAnswers(sent: SentAnswers): void {
      write("session", "answers", [sent, ...list("session", "answers").filter(({ key }) => key !== sent.key)]);
    },
    saveSent(sent: SentForm): void {
      write("local", "sent", [sent, ...list("local", "sent").filter(({ key }) => key !== sent.key)]);
    },
  };
}
