const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const sameDay = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const sameYear = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const other = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/**
 * Shows a point in time in the user's time zone: the time for today, otherwise the date. The tooltip, and `isExact`,
 * include seconds.
 */
export function Time({ at, isExact = false }: { at: string | number; isExact?: boolean }) {
  const date = new Date(at);
  return (
    <time dateTime={date.toISOString()} title={exact.format(date)} className="whitespace-nowrap">
      {isExact ? exact.format(date) : formatShort(date, new Date())}
    </time>
  );
}

function formatShort(date: Date, now: Date) {
  if (date.toDateString() === now.toDateString()) return sameDay.format(date);
  return (date.getFullYear() === now.getFullYear() ? sameYear : other).format(date);
}
