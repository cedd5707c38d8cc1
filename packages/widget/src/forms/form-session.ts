import type { VisitorForm } from "@foyer/sdk";
import type { WidgetCore } from "../loader/widget-core.ts";
import type { PanelContext } from "../panel/panel-context.ts";
import { createFilling } from "./form-controller.ts";
import { createFormEvents } from "./form-events.ts";
import { createFormMemory } from "./form-memory.ts";
import { createSubmitting } from "./submit-form.ts";

export type FormSession = ReturnType<typeof createFormSession>;

type Showing = { form: VisitorForm; key: string; previousResult: unknown };

/** The sessions of each widget on the page. */
const known = new WeakMap<WidgetCore, Map<string, FormSession>>();

/** The same form in the same place is the same session: it goes on where it was, also when it was out of sight. */
export function formSession(panel: PanelContext, showing: Showing): FormSession {
  const sessions = known.get(panel.core) ?? begin(panel.core);
  const session = sessions.get(showing.key) ?? createFormSession(panel, showing);
  sessions.set(showing.key, session);
  session.catchUp();
  return session;
}

/** Whoever comes next sees nothing of what was filled in by somebody else. */
function begin(core: WidgetCore) {
  const { bus, visit } = core;
  const sessions = new Map<string, FormSession>();
  known.set(core, sessions);
  let before = visit.identity;
  bus.on("identity", (identity) => {
    const isOther = before || !identity;
    for (const session of sessions.values()) isOther ? session.end() : session.refill();
    if (isOther) sessions.clear();
    before = identity;
  });
  return sessions;
}

/** One form in one visitor's hands, from the first look at it to the answer. It outlives what draws it. */
function createFormSession(panel: PanelContext, { form, key, previousResult }: Showing) {
  const memory = createFormMemory(panel.core);
  const draft = memory.draft(key);
  const events = createFormEvents(panel, form, key, draft);
  const filling = createFilling(panel, { form, key, events, memory, draft, previousResult });
  /** It may have been sent meanwhile, in another tab or on a page that was left. */
  const catchUp = () => {
    const sent = memory.sent(key);
    if (!sent || filling.store.get().phase !== "editing") return;
    filling.patch({ phase: "sent", message: sent.message });
    memory.dropDraft(key);
  };
  const { store, change, attach, leave, refill, end } = filling;
  const submit = createSubmitting(panel, { form, key, filling, events, memory });
  // The standing ones have a key of their own; those in replies come along with what is said.
  const isNew = key.startsWith("form_") && !draft;
  return { form, key, isNew, catchUp, store, change, attach, leave, refill, end, submit, shown: events.shown };
}
