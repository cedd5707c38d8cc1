const formatter = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

/** A day of the server (`2026-01-31`, UTC) in the viewer's notation. */
export function dayText(date: string): string {
  return formatter.format(new Date(`${date}T00:00Z`));
}

/** The days that get a label: every n-th, counted back from the newest, so that the steps between them are even. */
export function labelledDays(days: readonly string[], max = 6): string[] {
  const step = Math.max(1, Math.ceil(days.length / max));
  return days.filter((_, index) => (days.length - 1 - index) % step === 0);
}

/** A rate from 0 to 100 as `4.3%`; without decimals from 10 on. */
export function percentText(rate: number): string {
  const rounded = Math.round(rate * 10) / 10;
  return `${rounded >= 10 || Number.isInteger(rounded) ? Math.round(rate) : rounded.toFixed(1)}%`;
}
