import { NumberField, Select, TextField } from "../../components/field.tsx";
import { EventBuilder } from "./event-builder.tsx";
import { EventTester } from "./event-tester.tsx";
import { PageTester } from "./page-tester.tsx";
import { conditionsFor, type TriggerDraft } from "./trigger-draft.ts";
import { kinds } from "./trigger-labels.ts";

export type FieldsProps = {
  values: TriggerDraft;
  errorAt: (path: string) => string | undefined;
  change: (part: Partial<TriggerDraft>) => void;
};

/** When it runs: the kind, and what that kind needs to know. */
export function ConditionFields({ values, errorAt, change }: FieldsProps) {
  const { triggerType, conditions } = values;
  const set = (part: Record<string, unknown>) => change({ conditions: { ...conditions, ...part } });
  return (
    <>
      <Select
        label="When"
        value={triggerType}
        options={kinds}
        error={errorAt("triggerType")}
        onChange={(kind) => change({ triggerType: kind, conditions: conditionsFor(kind, conditions) })}
      />
      {triggerType === "time_on_page" && (
        <NumberField
          label="Seconds on the page"
          help="Only time counts in which the page is seen and used."
          value={numberOf(conditions.timeOnPage)}
          onChange={(timeOnPage) => set({ timeOnPage })}
          error={errorAt("conditions.timeOnPage")}
          min={0}
          step="any"
          className="max-w-40"
        />
      )}
      {triggerType === "scroll_depth" && (
        <NumberField
          label="Percent of the page"
          help="100 is its end."
          value={numberOf(conditions.scrollDepth)}
          onChange={(scrollDepth) => set({ scrollDepth })}
          error={errorAt("conditions.scrollDepth")}
          min={0}
          max={100}
          step="any"
          className="max-w-40"
        />
      )}
      {triggerType === "exit_intent" && (
        <p className="text-soft">
          With a mouse: when it leaves the page at its top. On a phone: at a fast swipe back up. Not in the first 3
          seconds of a page.
        </p>
      )}
      {triggerType === "page_view" && <PageFields {...{ values, errorAt, set }} />}
      {triggerType === "custom_event" && <EventFields {...{ values, errorAt, set }} />}
    </>
  );
}

type KindProps = Omit<FieldsProps, "change"> & { set: (part: Record<string, unknown>) => void };

function PageFields({ values: { conditions }, errorAt, set }: KindProps) {
  const page = textOf(conditions.page);
  return (
    <>
      <TextField
        label="Page"
        help="/pricing is one page, /bikes/* any page right under /bikes/, /blog/** all below /blog/, ** every page."
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
  const event = textOf(conditions.event);
  return (
    <>
      <TextField
        label="Event"
        help="The name that your code gives it, such as cart_updated."
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

const numberOf = (value: unknown) => (typeof value === "number" ? value : null);
const textOf = (value: unknown) => (typeof value === "string" ? value : "");
