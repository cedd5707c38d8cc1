import type { WidgetTrigger } from "@foyer/contract";
import { matchEvent } from "@foyer/contract/rules/match-event";
import type { TriggerNotice } from "../../foyer-api.ts";
import type { WidgetCore } from "../../loader/widget-core.ts";
import { type Bubble, showBubble } from "./bubble.ts";
import { createTriggerReports } from "./trigger-reports.ts";

export type TriggerActions = ReturnType<typeof createTriggerActions>;

/**
 * Runs the actions of triggers and reports them to the server. Loaded when the first trigger fires, or when the data
 * of an event must be compared. `onClosed` receives triggers whose bubble the visitor closed.
 */
export function createTriggerActions(core: WidgetCore, onClosed: (trigger: WidgetTrigger) => void) {
  const { bus, panel, signal } = core;
  const reports = createTriggerReports(core);
  let bubble: Bubble | null = null;
  /** The trigger that fired last. The visitor's next interaction is attributed to it. */
  let latest: WidgetTrigger | null = null;

  const report = (trigger: WidgetTrigger, event: TriggerNotice["event"]) => {
    const { id: triggerId, name: triggerName, triggerType, actionType } = trigger;
    reports.add(trigger, event);
    bus.emit("trigger", { triggerId, triggerName, triggerType, actionType, event });
  };
  const convert = () => {
    if (latest) report(latest, "converted");
    latest = null;
  };
  const clear = () => {
    bubble?.remove();
    bubble = null;
  };
  const showMessage = (trigger: WidgetTrigger, message: string, duration: number | undefined) => {
    const onEnd = (isWelcome: boolean) => {
      // Triggers fired from the debug overlay are not counted.
      const isOwn = latest === trigger;
      if (isWelcome) {
        if (isOwn) convert();
        void panel.open({ byVisitor: true, opening: { triggerId: trigger.id, text: message } });
      } else if (isOwn) {
        latest = null;
        onClosed(trigger);
      }
    };
    bubble = showBubble(core, { message, duration, onEnd });
  };

  bus.on("open", clear);
  bus.on("message", ({ role }) => role === "user" && convert());
  bus.on("form", ({ event }) => event === "submitted" && convert());
  bus.on("identity", () => {
    latest = null;
  });

  return {
    reports,
    matches: (conditions: Record<string, unknown>, data: unknown): boolean =>
      matchEvent(conditions as { event: string }, String(conditions.event), data),
    /** Removes the bubble of the previous page view. */
    clear,
    isHeld: (): boolean => bubble?.isHeld() ?? false,
    /** Runs the trigger's action. @returns whether its effect is visible */
    async run(trigger: WidgetTrigger): Promise<boolean> {
      const { message, duration, toolId } = trigger.actionConfig as {
        message?: string;
        duration?: number;
        toolId?: string;
      };
      clear();
      if (signal.aborted) return false;
      if (trigger.actionType === "show_bubble") showMessage(trigger, String(message), duration);
      else await panel.open({ byTrigger: true, ...(message ? { message } : {}), ...(toolId ? { form: toolId } : {}) });
      return bubble !== null || panel.isOpen;
    },
    /** Reports that the trigger fired, and attributes the next interaction to it. */
    count(trigger: WidgetTrigger): void {
      latest = trigger;
      report(trigger, "fired");
    },
  };
}
