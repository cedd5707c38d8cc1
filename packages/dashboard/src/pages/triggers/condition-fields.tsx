import type { TriggerType } from "@foyer/contract";
import { maxScrollDepth } from "@foyer/contract/rules/limits";
import type { ReactNode } from "react";
import { NumberField, Select, TextField } from "../../components/field.tsx";
import { EventBuilder } from "./event-builder.tsx";
import { EventTester } from "./event-tester.tsx";
import { PageTester } from "./page-tester.tsx";
import { conditionsFor, type TriggerDraft } from "./trigger-draft.ts";
import { triggerTypeOptions } from "./trigger-labels.ts";

export type FieldsProps = {
  values: TriggerDraft;
  errorAt: (path: string) => string | undefined;
  change: (part: Partial<TriggerDraft>) => void;
};

/** The trigger type and its conditions. */
export function ConditionFields({ values, errorAt, change }: FieldsProps) {
  const { triggerType, conditions } = values;
  const set = (part: Record<string, unknown>) => change({ conditions: { ...conditions, ...part } });
  const Fields = conditionFields[triggerType];
  return (
    <>
      <Select
        label="Trigger type"
        value={triggerType}
        options={triggerTypeOptions}
        error={errorAt("triggerType")}
        onChange={(kind) => change({ triggerType: kind, conditions: conditionsFor(kind, conditions) })}
      />
      <Fields values={values} errorAt={errorAt} set={set} />
    </>
  );
}

type KindProps = Omit<FieldsProps, "change"> & { set: (part: Record<string, unknown>) => void };

/** The conditions of each trigger type. */
const conditionFields: Record<TriggerType, (props: KindProps) => ReactNode> = {
  time_on_page: TimeFields,
  scroll_depth: ScrollFields,
  exit_intent: ExitNote,
  page_view: PageFields,
  custom_event: EventFields,
};

function TimeFields({ values: { conditions }, errorAt, set }: KindProps) {
  return (
    <NumberField
      label="Seconds on the page"
      help="Time in a background tab doesn't count."
      value={toNumber(conditions.timeOnPage)}
      onChange={(timeOnPage) => set({ timeOnPage })}
      error={errorAt("conditions.timeOnPage")}
      min={0}
      step="any"
      className="max-w-40"
    />
  );
}

function ScrollFields({ values: { conditions }, errorAt, set }: KindProps) {
  return (
    <NumberField
      label="Percentage scrolled"
      help="100 is the end of the page."
      value={toNumber(conditions.scrollDepth)}
      onChange={(scrollDepth) => set({ scrollDepth })}
      error={errorAt("conditions.scrollDepth")}
      min={0}
      max={maxScrollDepth}
      step="any"
      className="max-w-40"
    />
  );
}

function ExitNote() {
  return (
    <p className="text-soft">
      Runs when the mouse leaves the window at any edge, or on a fast upward swipe on a phone. Never in the first second
      on a page.
    </p>
  );
}

function PageFields({ values: { conditions }, errorAt, set }: KindProps) {
  const page = toText(conditions.page);
  return (
    <>
      <TextField
        label="Page"
        help="/pricing is one page, /bikes/* is every page directly under /bikes/, /blog/** is everything under /blog/, and ** is every page."
        value={page}
        onChange={(next) => set({ page: next })}
        error={errorAt("conditions.page")}
        spellCheck={false}
        className="font-mono"
      />
      <PageTester pattern={page} />
    </>
  );
}

function EventFields({ values: { conditions }, errorAt, set }: KindProps) {
  const event = toText(conditions.event);
  return (
    <>
      <TextField
        label="Event name"
        help="The name your code passes to Foyer.track, such as cart_updated."
        value={event}
        onChange={(next) => set({ event: next })}
        error={errorAt("conditions.event")}
        spellCheck={false}
        className="font-mono"
      />
      <EventBuilder
        value={conditions.eventData}
        error={errorAt("conditions.eventData")}
        onChange={(eventData) => set({ eventData })}
      />
      <EventTester event={event} eventData={conditions.eventData} />
    </>
  );
}

const toNumber = (value: unknown) => (typeof value === "number" ? value : null);
const toText = (value: unknown) => (typeof value === "string" ? value : "");
