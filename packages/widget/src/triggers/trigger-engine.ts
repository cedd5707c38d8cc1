import type { TriggerType, WidgetTrigger } from "@foyer/contract";
import { matchPage } from "@foyer/contract/rules/match-page";
import { triggerTypes } from "@foyer/contract/rules/trigger-types";
import type { FiredTriggers } from "./fired-triggers.ts";
import type { VisibleTime } from "./visible-time.ts";

/** Minimum time in milliseconds between two triggers, unless the site sent an event itself. */
export const QUIET_MS = 10_000;
/** A visitor who typed within this many milliseconds is still writing and is not interrupted. */
export const TYPING_MS = 3_000;
/** Exit intent is ignored while the page has been visible for fewer milliseconds. */
export const ARRIVAL_MS = 3_000;

/** `due`: its condition is met, and it waits for its turn. `over`: until the next page view there is nothing to expect. */
export type WatchedTrigger = { trigger: WidgetTrigger; state: "watching" | "due" | "over"; note: Note | null };
/** Why it is over: it fired, it could not be shown, or the visitor was in the chat anyway. */
type Note = "fired" | "failed" | "chat open";

/** What the engine asks about the page, and what it has done. */
export type EngineParts = {
  visible: VisibleTime;
  fired: FiredTriggers;
  now: () => number;
  depth: () => number;
  path: () => string;
  isOpen: () => boolean;
  /** Something stands on the screen that must not be replaced now, or nothing can be seen at all. */
  isBusy: () => boolean;
  /** Whether an event's data are those that a trigger wants. */
  fits: (conditions: Record<string, unknown>, data: unknown) => Promise<boolean>;
  /** False when it could not be shown. */
  perform: (trigger: WidgetTrigger) => Promise<boolean>;
  onFired: (trigger: WidgetTrigger) => void;
};

/**
 * Decides what fires when. `triggers` stand in the order in which they run. One action at a time; of those that are due
 * the first goes first and the others wait for their turn, in this page view. `step` is to be called now and then.
 */
export function createTriggerEngine(triggers: readonly WidgetTrigger[], parts: EngineParts) {
  const { visible, fired, now } = parts;
  const watched: WatchedTrigger[] = triggers.map((trigger) => ({ trigger, state: "watching", note: null }));
  const view = { depth: 0, hasScrolled: false };
  let quietUntil = 0;
  let typedAt = -TYPING_MS;
  let acting: WidgetTrigger | null = null;

  const mayAct = ({ trigger, state }: WatchedTrigger) => state === "due" && (isAsked(trigger) || now() >= quietUntil);

  async function act(one: WatchedTrigger): Promise<void> {
    acting = one.trigger;
    // Set first, so that an event or a page change during the action is not lost.
    one.state = "over";
    const isShown = await parts.perform(one.trigger).catch(() => false);
    acting = null;
    one.note = isShown ? "fired" : "failed";
    if (!isShown) return;
    quietUntil = now() + QUIET_MS;
    if (one.trigger.triggerOnce) fired.add(one.trigger.id);
    parts.onFired(one.trigger);
  }

  function step(): void {
    if (view.hasScrolled) view.depth = Math.max(view.depth, parts.depth());
    view.hasScrolled = false;
    for (const one of watched) {
      if (fired.has(one.trigger.id)) one.state = "over";
      else if (one.state === "watching") {
        const { triggerType, conditions } = one.trigger;
        if (isMet[triggerType](conditions, parts, view.depth)) one.state = "due";
        // The path is the same for the whole view.
        else if (detectionOf(one.trigger) === "page") one.state = "over";
      }
    }
    if (parts.isOpen()) letGo(watched);
    if (acting || parts.isBusy() || now() < typedAt + TYPING_MS) return;
    const next = watched.find(mayAct);
    if (next) void act(next);
  }

  return {
    watched,
    view,
    step,
    waits: () => ({
      quiet: Math.max(0, quietUntil - now()),
      typing: Math.max(0, typedAt + TYPING_MS - now()),
      shown: acting,
    }),
    /** Another page view: starts over. */
    restart(): void {
      visible.restart();
      Object.assign(view, { depth: 0, hasScrolled: false });
      for (const one of watched) Object.assign(one, { state: "watching", note: null });
      step();
    },
    /** The site tells of an event. A trigger that fires more than once does so for each. */
    async track(name: string, data: unknown): Promise<void> {
      for (const one of watched) {
        const { conditions } = one.trigger;
        if (!isAsked(one.trigger) || conditions.event !== name) continue;
        if (!conditions.eventData || (await parts.fits(conditions, data))) one.state = "due";
      }
      step();
    },
    /** The visitor seems to leave. A trigger that cannot act immediately misses this moment. */
    leave(): void {
      if (visible.count() < ARRIVAL_MS) return;
      const leaving = watched.filter(({ trigger, state }) => detectionOf(trigger) === "moment" && state === "watching");
      for (const one of leaving) one.state = "due";
      step();
      for (const one of leaving) if (one.state === "due") one.state = "watching";
    },
    scrolled(): void {
      view.hasScrolled = true;
    },
    typed(): void {
      typedAt = now();
    },
    /** The visitor closed a bubble. */
    rest(): void {
      quietUntil = now() + QUIET_MS;
    },
  };
}

type Condition = (conditions: WidgetTrigger["conditions"], parts: EngineParts, depth: number) => boolean;

/** Types that are reported when they happen, by `track` and `leave`. */
const isReported: Condition = () => false;

const isMet: Record<TriggerType, Condition> = {
  time_on_page: ({ timeOnPage }, { visible }) => visible.count() >= Number(timeOnPage) * 1_000,
  scroll_depth: ({ scrollDepth }, _, depth) => depth >= Number(scrollDepth),
  exit_intent: isReported,
  page_view: ({ page }, { path }) => matchPage(String(page), path()),
  custom_event: isReported,
};

/** What is due while the visitor is in the chat has lost its point; but not a form that the site asks for by an event. */
function letGo(watched: readonly WatchedTrigger[]) {
  for (const one of watched) {
    const isWanted = isAsked(one.trigger) && one.trigger.actionType === "show_form";
    if (one.state === "due" && !isWanted) [one.state, one.note] = ["over", "chat open"];
  }
}

const detectionOf = ({ triggerType }: WidgetTrigger) => triggerTypes[triggerType].detection;
const isAsked = (trigger: WidgetTrigger) => detectionOf(trigger) === "event";
