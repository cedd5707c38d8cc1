import type { WidgetHandoff } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import { interpolate } from "../locales/load-messages.ts";
import type { HandoffTexts } from "./texts/load-texts.ts";

const SOON_MS = 6 * DAY_MS;

/** When the visitor can expect an answer, or null if no time is promised. */
export function describePromise(settings: WidgetHandoff, texts: HandoffTexts, locale: string): string | null {
  const { isOpen, opensAt, promiseMinutes } = settings;
  if (!isOpen) {
    return opensAt ? interpolate(texts.closedUntil, { time: formatMoment(opensAt, locale, Date.now()) }) : texts.closed;
  }
  return promiseMinutes === null ? null : interpolate(texts.promise, { time: formatDuration(promiseMinutes, locale) });
}

/** A duration in minutes, or in hours if it is a whole number of hours. */
export function formatDuration(minutes: number, locale: string): string {
  const [value, unit] = minutes % 60 === 0 ? [minutes / 60, "hour"] : [minutes, "minute"];
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(Number(value));
}

/** The day of the week and the time, in the visitor's time zone. The date as well if it is not within six days. */
export function formatMoment(at: string, locale: string, now: number): string {
  const isSoon = Date.parse(at) - now < SOON_MS;
  const date = isSoon ? {} : ({ day: "numeric", month: "long" } as const);
  const format = new Intl.DateTimeFormat(locale, { weekday: "long", ...date, hour: "numeric", minute: "2-digit" });
  return format.format(new Date(at));
}
