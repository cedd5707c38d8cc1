const DAY_MS = 86_400_000;

let latest = { number: Number.NaN, day: "" };

/** The day of an instant in milliseconds, in UTC: `2026-01-31`. It mostly is the day of the call before. */
export function dayOf(instant: number): string {
  const number = Math.floor(instant / DAY_MS);
  if (number !== latest.number) latest = { number, day: new Date(instant).toISOString().slice(0, 10) };
  return latest.day;
}

/** The bounds of a search in milliseconds: `to` is exclusive, and a date in it counts whole. What is not given is left out. */
export function instantsOf({ from, to }: { from?: string | undefined; to?: string | undefined }) {
  return {
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(to === undefined ? {} : { to: Date.parse(to) + (to.includes("T") ? 0 : DAY_MS) }),
  };
}
