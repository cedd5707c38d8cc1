import { triggerEditors } from "@foyer/contract/rules/trigger-editor";
import type { Output } from "@foyer/sdk";
import { formatPercent } from "../../components/day-text.ts";
import { toolTitle } from "../../components/tool-title.ts";
import { describeRow, readRows } from "./event-conditions.ts";

export type Trigger = Output<"getTrigger">;
export type TriggerKind = Trigger["triggerType"];
export type ActionKind = Trigger["actionType"];

/** All trigger types with their names, in menu order. */
export const triggerTypeOptions = Object.entries(triggerEditors).map(([value, { name }]) => ({
  value: value as TriggerKind,
  label: name,
}));

const actionNames: Record<ActionKind, string> = {
  show_bubble: "Show a bubble",
  open_chat: "Open the chat",
  show_form: "Show a form",
};

export const actions = Object.entries(actionNames).map(([value, label]) => ({ value: value as ActionKind, label }));

/** Describes the condition of a trigger, such as `After 20 s on a page`. */
export function describeCondition({ triggerType, conditions }: Pick<Trigger, "triggerType" | "conditions">): string {
  switch (triggerType) {
    case "time_on_page":
      return `After ${formatSeconds(Number(conditions.timeOnPage ?? 0))} on a page`;
    case "scroll_depth":
      return `After scrolling ${Number(conditions.scrollDepth ?? 0)}% of a page`;
    case "exit_intent":
      return "When a visitor is about to leave";
    case "page_view":
      return /^\/?\*\*$/.test(String(conditions.page)) ? "On every page" : `On ${conditions.page}`;
    case "custom_event": {
      const rows = readRows(conditions.eventData).map(describeRow);
      return `On event ${conditions.event}${rows.length > 0 ? ` where ${rows.join(" and ")}` : ""}`;
    }
  }
}

/**
 * Describes the action of a trigger, such as `Says “Any questions?” for 10 s`. `formName` is null for a deleted form
 * and undefined while it is loading.
 */
export function describeAction(
  { actionType, actionConfig }: Pick<Trigger, "actionType" | "actionConfig">,
  formName: string | null | undefined,
): string {
  const { message, duration } = actionConfig;
  switch (actionType) {
    case "show_bubble":
      return `Says “${message}”${typeof duration === "number" ? ` for ${formatSeconds(duration / 1_000)}` : ""}`;
    case "open_chat":
      return message ? `Opens the chat with “${message}”` : "Opens the chat";
    case "show_form":
      return formName === null
        ? "Shows a deleted form"
        : formName
          ? `Shows the form “${toolTitle(formName)}”`
          : "Shows a form";
  }
}

function formatSeconds(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  const rest = Math.round((seconds - minutes * 60) * 10) / 10;
  if (minutes === 0) return `${rest}\u00a0s`;
  return rest === 0 ? `${minutes}\u00a0min` : `${minutes}\u00a0min ${rest}\u00a0s`;
}

/** The share of `fired` that converted, or a dash when nothing fired. */
export function formatRate(converted: number, fired: number): string {
  return fired === 0 ? "–" : formatPercent((converted / fired) * 100);
}
