/**
 * The start of a day such as `2026-01-31` in the user's time zone, or of the day `daysLater` after it. Undefined for an
 * invalid day.
 */
export function startOfDay(day: string | undefined, daysLater = 0): string | undefined {
  const [, year, month, date] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? []).map(Number);
  if (year === undefined || month === undefined || date === undefined) return undefined;
  const isDay = new Date(year, month - 1, date).getDate() === date && month >= 1 && month <= 12;
  return isDay ? new Date(year, month - 1, date + daysLater).toISOString() : undefined;
}
