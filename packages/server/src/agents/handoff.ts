import type { HandoffChanges, HandoffSettings, OfficeHours, WidgetHandoff } from "@foyer/contract";
import { addOpenMinutes, findOpening, isOpen, isTimeZone } from "@foyer/contract/rules/office-hours";
import type { AgentRow } from "../db/tables.ts";
import { invalid } from "../errors.ts";

const defaults: HandoffSettings = {
  isEnabled: false,
  hasButton: true,
  whileWaiting: "agent",
  promiseMinutes: null,
  hours: null,
  badRatings: null,
  failedTools: null,
  failedReplies: null,
  events: [],
  escalation: [],
  teamId: null,
};

/** The agent's handoff settings, with defaults for those that were not set. */
export function parseHandoff({ handoff }: Pick<AgentRow, "handoff">): HandoffSettings {
  // Skip parsing, because most agents change no setting and this runs for every message.
  return handoff === "{}" ? defaults : { ...defaults, ...JSON.parse(handoff) };
}

/** The time zone in which the agent's team works. */
export function readTimeZone(agent: Pick<AgentRow, "handoff">): string {
  return parseHandoff(agent).hours?.timeZone ?? "UTC";
}

/** The stored settings after a change, as JSON. `null` removes a setting, or all of them. */
export function applyHandoffChanges(stored: string, changes: HandoffChanges | null): string {
  if (changes === null) return "{}";
  const all = Object.entries({ ...JSON.parse(stored), ...changes });
  return JSON.stringify(Object.fromEntries(all.filter(([, value]) => value !== null && value !== undefined)));
}

/** Checks what the schema cannot express. @throws 400 */
export function checkHandoff({ hours }: HandoffChanges): void {
  if (hours) checkOfficeHours("handoff.hours", hours);
}

/** Checks what the schema of office hours cannot express. @throws 400 naming the field under `path` */
export function checkOfficeHours(path: string, hours: OfficeHours): void {
  if (!isTimeZone(hours.timeZone)) {
    throw invalid(`${path}.timeZone`, "must be an IANA time zone such as Europe/Zurich", "format");
  }
  for (const [index, { from, to }] of hours.days.entries()) {
    if (from >= to) throw invalid(`${path}.days.${index}.to`, "must be later than `from`");
  }
  for (const [index, { from, to }] of hours.exceptions.entries()) {
    const isWhole = from === null && to === null;
    if (!isWhole && (from === null || to === null || from >= to)) {
      throw invalid(`${path}.exceptions.${index}.to`, "must be later than `from`, or `null` together with it");
    }
  }
}

/**
 * The time by which a request made at `now` is promised an answer. Both are in milliseconds. Only office hours count.
 */
export function calculatePromisedTime({ hours, promiseMinutes }: HandoffSettings, now: number): number | null {
  return promiseMinutes === null ? null : addOpenMinutes(hours, promiseMinutes, now);
}

/**
 * The settings that the widget needs, or null when handoff is disabled.
 * @param canEmail whether the server can send email
 */
export function toWidgetHandoff(
  row: Pick<AgentRow, "handoff">,
  { now, canEmail }: { now: number; canEmail: boolean },
): WidgetHandoff | null {
  const settings = parseHandoff(row);
  if (!settings.isEnabled) return null;
  const { hasButton, hours, promiseMinutes, whileWaiting } = settings;
  const opens = findOpening(hours, now);
  return {
    hasButton,
    isOpen: isOpen(hours, now),
    opensAt: opens === null ? null : new Date(opens).toISOString(),
    promiseMinutes,
    whileWaiting,
    canEmail,
  };
}
