type TriggerDescriptor = {
  /**
   * How the widget detects that the trigger's condition is met. A `state` is checked repeatedly, a `page` once per page
   * view. A `moment` and an `event` are reported when they happen. Only an `event` is an explicit request of the site,
   * so it fires even right after another trigger.
   */
  detection: "state" | "page" | "moment" | "event";
};

/** Every trigger type. */
export const triggerTypes = {
  time_on_page: { detection: "state" },
  scroll_depth: { detection: "state" },
  exit_intent: { detection: "moment" },
  page_view: { detection: "page" },
  custom_event: { detection: "event" },
} as const satisfies Record<string, TriggerDescriptor>;
export type TriggerType = keyof typeof triggerTypes;
