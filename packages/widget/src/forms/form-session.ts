import type { VisitorForm } from "@foyer/sdk";
import { createFormStorage, isPinned } from "../form-values/form-storage.ts";
import type { WidgetCore } from "../loader/widget-core.ts";
import { createFormController } from "./form-controller.ts";
import { createFormEvents } from "./form-events.ts";
import type { FormPanel } from "./form-panel.ts";
import { createFormSubmitter } from "./submit-form.ts";

export type FormSession = ReturnType<typeof createFormSession>;

type Impression = { form: VisitorForm; key: string; previousResult: unknown };

/** The sessions of each widget on the page. */
const sessionsByWidget = new WeakMap<WidgetCore, Map<string, FormSession>>();

/** Returns the session of an impression. A form that is rendered again continues with its existing session. */
export function openFormSession(panel: FormPanel, showing: Impression): FormSession {
  const sessions = sessionsByWidget.get(panel.core) ?? createSessions(panel.core);
  const session = sessions.get(showing.key) ?? createFormSession(panel, showing);
  sessions.set(showing.key, session);
  session.catchUp();
  return session;
}

/**
 * Creates the sessions of a widget and ends them when the visitor changes, so the next visitor sees none of the
 * previous visitor's answers.
 */
function createSessions(core: WidgetCore) {
  const { bus, visitor } = core;
  const sessions = new Map<string, FormSession>();
  sessionsByWidget.set(core, sessions);
  let before = visitor.identity;
  bus.on("identity", (identity) => {
    const isOther = before || !identity;
    for (const session of sessions.values()) isOther ? session.end() : session.refill();
    if (isOther) sessions.clear();
    before = identity;
  });
  return sessions;
}

/** The state of one impression, from the first render to the submission. It outlives the components that render it. */
function createFormSession(panel: FormPanel, { form, key, previousResult }: Impression) {
  const storage = createFormStorage(panel.core);
  const draft = storage.draft(key);
  const events = createFormEvents(panel, { form, key, draft });
  const controller = createFormController(panel, { form, key, events, storage, draft, previousResult });
  /** Checks whether the form was submitted elsewhere in the meantime: in another tab, or on an earlier page. */
  const catchUp = () => {
    const sent = storage.sent(key);
    if (!sent || controller.store.get().phase !== "editing") return;
    controller.patch({ phase: "sent", message: sent.message, answers: storage.answers(key) });
    storage.deleteDraft(key);
  };
  const { store, change, attach, leave, refill, end } = controller;
  const submit = createFormSubmitter(panel, { form, key, controller, events, storage });
  // Forms in replies arrive with the conversation and are not scrolled to.
  const isNew = isPinned(key) && !draft;
  return { form, key, isNew, catchUp, store, change, attach, leave, refill, end, submit, shown: events.shown };
}
