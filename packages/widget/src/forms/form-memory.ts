import type { VisitorForm } from "@foyer/sdk";
import type { Place } from "../loader/consent-storage.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { FormValue } from "./field-values.ts";

/** What a visitor has done in a form that was not sent yet. Files are not kept. */
export type Draft = {
  key: string;
  /** What the visitor put in; the rest has its defaults. */
  values: Record<string, FormValue>;
  /** The fields that had a file. */
  files: string[];
  /** Milliseconds since 1970. */
  impressionAt: number | null;
  startedAt: number | null;
  completed: string[];
  /** The `Idempotency-Key` of an attempt whose answer never came, and the conversation that it named. */
  attempt: { key: string; conversationId: string | null } | null;
};

/** A form outside of any reply, which the server does not know of. `key` is also its `formInstanceId`. */
export type StandingForm = { key: string; form: VisitorForm };

/** A form that was sent from this browser; `message` is what the site's own code said to it. */
export type SentForm = { key: string; message: string | null };

type Kept = { drafts: Draft[]; standing: StandingForm[]; sent: SentForm[] };

const ANONYMOUS = "anonymous";
/** The newest so many of each. */
const MOST_KEPT = 50;

export type FormMemory = ReturnType<typeof createFormMemory>;

/**
 * What the browser keeps of forms: drafts for the tab, the fact that a form was sent for longer. It is one visitor's;
 * what was begun by nobody in particular goes with whoever is named then.
 */
export function createFormMemory({ storage, visit }: Pick<WidgetCore, "storage" | "visit">) {
  const owner = () => (visit.identity ? `user:${visit.identity.userId}` : ANONYMOUS);

  const read = (place: Place): Partial<Kept> => {
    const kept = storage.read(place, "forms") as (Partial<Kept> & { whose?: unknown }) | null;
    return kept && (kept.whose === owner() || kept.whose === ANONYMOUS) ? kept : {};
  };
  const list = <Name extends keyof Kept>(place: Place, name: Name): Kept[Name] => {
    const kept: unknown = read(place)[name];
    return (Array.isArray(kept) ? kept.filter((one) => typeof one?.key === "string") : []) as Kept[Name];
  };
  const write = <Name extends keyof Kept>(place: Place, name: Name, next: Kept[Name]) =>
    storage.write(place, "forms", { ...read(place), whose: owner(), [name]: next.slice(0, MOST_KEPT) });

  return {
    draft: (key: string): Draft | null => list("session", "drafts").find((draft) => draft.key === key) ?? null,
    keepDraft(draft: Draft): void {
      write("session", "drafts", [draft, ...list("session", "drafts").filter(({ key }) => key !== draft.key)]);
    },
    dropDraft(key: string): void {
      const drafts = list("session", "drafts");
      if (drafts.some((draft) => draft.key === key)) {
        write(
          "session",
          "drafts",
          drafts.filter((draft) => draft.key !== key),
        );
      }
    },
    /** Oldest first. */
    standing: (): StandingForm[] =>
      list("session", "standing").filter(({ form }) => Array.isArray(form?.formSchema?.fields)),
    keepStanding: (standing: StandingForm[]) => write("session", "standing", standing.slice(-MOST_KEPT)),
    sent: (key: string): SentForm | null => list("local", "sent").find((sent) => sent.key === key) ?? null,
    keepSent(sent: SentForm): void {
      write("local", "sent", [sent, ...list("local", "sent").filter(({ key }) => key !== sent.key)]);
    },
  };
}
