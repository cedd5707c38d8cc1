import type { WidgetTrigger } from "@foyer/sdk";
import { ARRIVAL_MS, type WatchedTrigger } from "../trigger-engine.ts";

/** Snapshot of the current page state. */
export type PageFacts = {
  path: string;
  /** Milliseconds for which the page has been visible. */
  visible: number;
  /** Percent; null when the page cannot be scrolled. */
  depth: number | null;
  hasMouse: boolean;
  /** The events that the site reported, oldest first. */
  events: ReadonlyArray<{ name: string; data: unknown }>;
  /** Whether the event data matches the trigger's conditions. */
  matches: (conditions: Record<string, unknown>, data: unknown) => boolean;
  isDone: boolean;
  /** Why no trigger can fire now, or null. */
  blocker: string | null;
};

/** Describes a trigger for the site's developer: its condition, the current value, and its status. */
export type TriggerDescription = { expected: string; actual: string; status: string };

export function describeTrigger(watched: WatchedTrigger, facts: PageFacts): TriggerDescription {
  const { trigger } = watched;
  const { expected, actual } = conditionDescriptions[trigger.triggerType](trigger.conditions, facts);
  return { expected, actual, status: describeStatus(watched, facts) };
}

function describeStatus({ trigger, state, note }: WatchedTrigger, { isDone, blocker }: PageFacts) {
  if (isDone) {
    return trigger.triggerOnce
      ? "Already fired. It fires once per session."
      : "Closed by the visitor. It does not fire again in this session.";
  }
  if (note === "failed") return "Its action could not be shown. It tries again on the next page view.";
  if (note === "chat open") return "Skipped for this page view because the chat was open.";
  if (note === "fired") return "Fired on this page view.";
  if (state === "due") return blocker ? `Condition met, but ${blocker}.` : "Condition met. Waiting for its turn.";
  if (state === "over") return "Does not apply to this page.";
  return "Condition not met yet.";
}

const conditionDescriptions: Record<WidgetTrigger["triggerType"], DescribeCondition> = {
  time_on_page: ({ timeOnPage }, { visible }) => ({
    expected: `${timeOnPage} s with the page visible`,
    actual: `${Math.min(Math.floor(visible / 1_000), Number(timeOnPage))} of ${timeOnPage} s visible`,
  }),
  scroll_depth: ({ scrollDepth }, { depth }) => ({
    expected: `${scrollDepth}% of the page scrolled`,
    actual:
      depth === null ? "the page fits its window and cannot be scrolled" : `${Math.floor(depth)}% of ${scrollDepth}%`,
  }),
  exit_intent: (_, { hasMouse, visible }) => ({
    expected: hasMouse ? "the mouse leaves the window" : "a fast upward swipe over half a screen",
    actual: visible < ARRIVAL_MS ? `ignored during the first ${ARRIVAL_MS / 1_000} s` : "has not happened yet",
  }),
  page_view: ({ page }, { path }) => ({ expected: `a page that matches ${page}`, actual: `the page ${path}` }),
  custom_event: (conditions, { events, matches }) => {
    const { event, eventData } = conditions;
    const last = events.findLast(({ name }) => name === event);
    const seen =
      last && `${event} ${abbreviate(last.data)} ${matches(conditions, last.data) ? "matches" : "does not match"}`;
    return {
      expected: `the event ${event}${eventData ? ` with ${abbreviate(eventData)}` : ""}`,
      actual: seen ?? "no such event yet",
    };
  },
};

type Conditions = Record<string, unknown>;

type DescribeCondition = (conditions: Conditions, facts: PageFacts) => Omit<TriggerDescription, "status">;

/** The site's event data as JSON, shortened. */
function abbreviate(data: unknown) {
  try {
    const text = JSON.stringify(data) ?? "without data";
    return text.length > 120 ? `${text.slice(0, 120)}…` : text;
  } catch {
    return "(data that cannot be serialized)";
  }
}
