const formatter = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", timeZone: "UTC" });

/** Formats a UTC date (`2026-01-31`) in the user's locale. */
export function formatDay(date: string): string {
  return formatter.format(new Date(`${date}T00:00Z`));
}

/** The days that get an axis label: every nth day, counted back from the newest, so labels are evenly spaced. */
export function selectLabelledDays(days: readonly string[], max = 6): string[] {
  const step = Math.max(1, Math.ceil(days.length / max));
  return days.filter((_, index) => (days.length - 1 - index) % step === 0);
}

/** Formats a rate from 0 to 100, such as `4.3%`. Rates of 10 and more have no decimals. */
export function formatPercent(rate: number): string {
  const rounded = Math.round(rate * 10) / 10;
  return `${rounded >= 10 || Number.isInteger(rounded) ? Math.round(rate) : rounded.toFixed(1)}%`;
}
