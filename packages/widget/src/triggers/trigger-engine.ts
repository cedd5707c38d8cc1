import type { TriggerType, WidgetTrigger } from "@foyer/contract";
import { matchPage } from "@foyer/contract/rules/match-page";
import { triggerTypes } from "@foyer/contract/rules/trigger-types";
import type { FiredTriggers } from "./fired-triggers.ts";
import type { VisibleTime } from "./visible-time.ts";

/** The minimum time between two triggers in milliseconds, unless the site itself sent an event. */
export const QUIET_MS = 10_000;
/** A visitor who typed within this time, in milliseconds, is still writing and is not interrupted. */
export const TYPING_MS = 3_000;
/** Exit intent is ignored until the page has been visible for this time, in milliseconds. */
export const ARRIVAL_MS = 1_000;

/** `due`: the condition is met and the trigger waits for its turn. `over`: it cannot fire again on this page view. */
export type WatchedTrigger = { trigger: WidgetTrigger; state: "watching" | "due" | "over"; note: Note | null };
/** Why a trigger is over: it fired, it could not be shown, or the chat was already open. */
type Note = "fired" | "failed" | "chat open";

/** What the engine reads from the page, and the actions it can run. */
export type EngineParts = {
  visible: VisibleTime;
  fired: FiredTriggers;
  now: () => number;
  depth: () => number;
  path: () => string;
  isOpen: () => boolean;
  /** Whether the bubble must not be replaced now, or the page or the widget is hidden. */
  isBusy: () => boolean;
  /** Whether the event data matches the trigger's conditions. */
  matches: (conditions: Record<string, unknown>, data: unknown) => Promise<boolean>;
  /** Runs the action. Resolves to false if it could not be shown. */
  run: (trigger: WidgetTrigger) => Promise<boolean>;
  onFired: (trigger: WidgetTrigger) => void;
};

/**
 * Decides which trigger fires when. `triggers` are in order of priority. Actions run one at a time: the first due
 * trigger runs, and the others wait for their turn within this page view. Call `step` regularly.
 */
export function createTriggerEngine(triggers: readonly WidgetTrigger[], parts: EngineParts) {
  const { visible, fired, now } = parts;
  const watched: WatchedTrigger[] = triggers.map((trigger) => ({ trigger, state: "watching", note: null }));
  const view = { depth: 0, hasScrolled: false };
  let quietUntil = 0;
  let typedAt = -TYPING_MS;
  let running: WidgetTrigger | null = null;

  const mayAct = ({ trigger, state }: WatchedTrigger) => state === "due" && (isAsked(trigger) || now() >= quietUntil);

  async function act(one: WatchedTrigger): Promise<void> {
    running = one.trigger;
    // Set this before the action runs, so that an event or a page change in the meantime is not lost.
    one.state = "over";
    const isShown = await parts.run(one.trigger).catch(() => false);
    running = null;
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
        // The path does not change within a page view.
        else if (detectionOf(one.trigger) === "page") one.state = "over";
      }
    }
    if (parts.isOpen()) dropDue(watched);
    if (running || parts.isBusy() || now() < typedAt + TYPING_MS) return;
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
      shown: running,
    }),
    /** Starts over for a new page view. */
    restart(): void {
      visible.restart();
      Object.assign(view, { depth: 0, hasScrolled: false });
      for (const one of watched) Object.assign(one, { state: "watching", note: null });
      step();
    },
    /** Handles an event from the site. A trigger that can fire repeatedly fires for each event. */
    async track(name: string, data: unknown): Promise<void> {
      for (const one of watched) {
        const { conditions } = one.trigger;
        if (!isAsked(one.trigger) || conditions.event !== name) continue;
        if (!conditions.eventData || (await parts.matches(conditions, data))) one.state = "due";
      }
      step();
    },
    /**
     * Handles exit intent. A trigger that cannot run immediately misses this moment, unless another trigger has taken
     * it. Then it runs when it may.
     */
    leave(): void {
      if (visible.count() < ARRIVAL_MS) return;
      const isTaken = running !== null || now() < quietUntil;
      const leaving = watched.filter(({ trigger, state }) => detectionOf(trigger) === "moment" && state === "watching");
      for (const one of leaving) one.state = "due";
      step();
      if (isTaken) return;
      for (const one of leaving) if (one.state === "due") one.state = "watching";
    },
    scrolled(): void {
      view.hasScrolled = true;
    },
    typed(): void {
      typedAt = now();
    },
    /** Pauses triggers after the visitor closed a bubble. */
    cooldown(): void {
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

/**
 * Drops due triggers while the chat is open, because they have lost their purpose. Forms requested by an event of the
 * site stay due.
 */
function dropDue(watched: readonly WatchedTrigger[]) {
  for (const one of watched) {
    const isWanted = isAsked(one.trigger) && one.trigger.actionType === "show_form";
    if (one.state === "due" && !isWanted) [one.state, one.note] = ["over", "chat open"];
  }
}

const detectionOf = ({ triggerType }: WidgetTrigger) => triggerTypes[triggerType].detection;
const isAsked = (trigger: WidgetTrigger) => detectionOf(trigger) === "event";
