import type { TriggerType } from "./trigger-types.ts";

/** A trigger editor's knowledge about each trigger type, in the order in which the types are offered. */
export const triggerEditors: Record<TriggerType, { name: string; sampleConditions: Record<string, unknown> }> = {
  time_on_page: { name: "Time on page", sampleConditions: { timeOnPage: 20 } },
  scroll_depth: { name: "Scroll depth", sampleConditions: { scrollDepth: 50 } },
  exit_intent: { name: "Exit intent", sampleConditions: {} },
  page_view: { name: "Page view", sampleConditions: { page: "/pricing" } },
  custom_event: { name: "Custom event", sampleConditions: { event: "" } },
};
