import type { WidgetTrigger } from "@foyer/contract";
import { matchEvent } from "@foyer/contract/rules/match-event";
import type { TriggerNotice } from "../../foyer-api.ts";
import type { WidgetCore } from "../../loader/widget-core.ts";
import { type Bubble, showBubble } from "./bubble.ts";
import { createTriggerReports } from "./trigger-reports.ts";

export type Acting = ReturnType<typeof actOnTriggers>;

/**
 * What comes of a trigger: what the visitor sees, and what the server hears of it. Loaded when the first one fires, or
 * when the data of an event are to be looked at.
 * `onClosed` hears of bubbles that the visitor took away.
 */
export function actOnTriggers(core: WidgetCore, onClosed: (trigger: WidgetTrigger) => void) {
  const { bus, panel, signal } = core;
  const reports = createTriggerReports(core);
  let bubble: Bubble | null = null;
  /** What fired last: it is owed to this one what the visitor does next. */
  let latest: WidgetTrigger | null = null;

  const tell = (trigger: WidgetTrigger, event: TriggerNotice["event"]) => {
    const { id: triggerId, name: triggerName, triggerType, actionType } = trigger;
    reports.add(trigger, event);
    bus.emit("trigger", { triggerId, triggerName, triggerType, actionType, event });
  };
  const convert = () => {
    if (latest) tell(latest, "converted");
    latest = null;
  };
  const clear = () => {
    bubble?.remove();
    bubble = null;
  };
  const say = (trigger: WidgetTrigger, message: string, duration: number | undefined) => {
    bubble = showBubble(core, message, duration, (isWelcome) => {
      // What was only tried out counts for nothing.
      const isOwn = latest === trigger;
      if (isWelcome) {
        if (isOwn) convert();
        void panel.open({ byVisitor: true, opening: { triggerId: trigger.id, text: message } });
      } else if (isOwn) {
        latest = null;
        onClosed(trigger);
      }
    });
  };

  bus.on("open", clear);
  bus.on("message", ({ role }) => role === "user" && convert());
  bus.on("form", ({ event }) => event === "submitted" && convert());
  bus.on("identity", () => {
    latest = null;
  });

  return {
    reports,
    fits: (conditions: Record<string, unknown>, data: unknown): boolean =>
      matchEvent(conditions as { event: string }, String(conditions.event), data),
    /** Takes away what belongs to the page before. */
    clear,
    isHeld: (): boolean => bubble?.isHeld() ?? false,
    /** @returns whether it can be seen */
    async perform(trigger: WidgetTrigger): Promise<boolean> {
      const { message, duration, toolId } = trigger.actionConfig as {
        message?: string;
        duration?: number;
        toolId?: string;
      };
      clear();
      if (signal.aborted) return false;
      if (trigger.actionType === "show_bubble") say(trigger, String(message), duration);
      else await panel.open({ byTrigger: true, ...(message ? { message } : {}), ...(toolId ? { form: toolId } : {}) });
      return bubble !== null || panel.isOpen;
    },
    /** It fired, and counts. */
    count(trigger: WidgetTrigger): void {
      latest = trigger;
      tell(trigger, "fired");
    },
  };
}
