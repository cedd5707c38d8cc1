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
  /** What the site told of, oldest first. */
  events: ReadonlyArray<{ name: string; data: unknown }>;
  /** Whether an event's data are those that conditions want. */
  fits: (conditions: Record<string, unknown>, data: unknown) => boolean;
  isDone: boolean;
  /** Why nothing can fire now; null when something could. */
  hindrance: string | null;
};

/** A trigger in words, for who makes the site: what it waits for, what there is of that, and how it stands. */
export type Described = { wants: string; has: string; stands: string };

export function describeTrigger({ trigger, state, note }: WatchedTrigger, facts: PageFacts): Described {
  const { wants, has } = conditionWords[trigger.triggerType](trigger.conditions, facts);
  return { wants, has, stands: standing(trigger, state, note, facts) };
}

function standing(
  trigger: WidgetTrigger,
  state: WatchedTrigger["state"],
  note: WatchedTrigger["note"],
  { isDone, hindrance }: PageFacts,
) {
  if (isDone) {
    return trigger.triggerOnce
      ? "Already fired in this session, and it fires once."
      : "Its bubble was closed, so it stays away in this session.";
  }
  if (note === "failed") return "Its turn came, but it could not be shown. The next page view tries again.";
  if (note === "chat open") return "Let go for this page view: the chat was open when its turn came.";
  if (note === "fired") return "Fired on this page view.";
  if (state === "due") return `Its condition is met. Waits: ${hindrance ?? "for its turn"}.`;
  if (state === "over") return "Not on this page.";
  return "Not yet.";
}

type Words = Omit<Described, "stands">;
const conditionWords: Record<WidgetTrigger["triggerType"], (conditions: Conditions, facts: PageFacts) => Words> = {
  time_on_page: ({ timeOnPage }, { visible }) => ({
    wants: `${timeOnPage} s on the page while it is visible`,
    has: `${Math.min(Math.floor(visible / 1_000), Number(timeOnPage))} of ${timeOnPage} s visible`,
  }),
  scroll_depth: ({ scrollDepth }, { depth }) => ({
    wants: `${scrollDepth} % of the page scrolled`,
    has:
      depth === null
        ? "the page fits its window, so it cannot be scrolled"
        : `${Math.floor(depth)} of ${scrollDepth} % so far`,
  }),
  exit_intent: (_, { hasMouse, visible }) => ({
    wants: hasMouse ? "the mouse leaves the page at the top" : "a fast swipe back up over half a screen",
    has: visible < ARRIVAL_MS ? `ignored during the first ${ARRIVAL_MS / 1_000} s` : "has not happened yet",
  }),
  page_view: ({ page }, { path }) => ({ wants: `the page ${page}`, has: `this page is ${path}` }),
  custom_event: (conditions, { events, fits }) => {
    const { event, eventData } = conditions;
    const last = events.findLast(({ name }) => name === event);
    const seen = last && `${event} ${inShort(last.data)} ${fits(conditions, last.data) ? "fits" : "does not fit"}`;
    return {
      wants: `the event ${event}${eventData ? ` with ${inShort(eventData)}` : ""}`,
      has: seen ?? "no such event so far",
    };
  },
};

type Conditions = Record<string, unknown>;

/** The site's own data, whatever it is. */
function inShort(data: unknown) {
  try {
    const text = JSON.stringify(data) ?? "without data";
    return text.length > 120 ? `${text.slice(0, 120)}…` : text;
  } catch {
    return "(data that cannot be shown)";
  }
}
