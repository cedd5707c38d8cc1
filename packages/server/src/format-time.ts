/** A time for people to read, with its time zone, such as `25 November 2026 at 15:58 (Europe/Zurich)`. */
export function formatTime(instant: number, timeZone: string): string {
  const time = new Date(instant).toLocaleString("en-GB", { dateStyle: "long", timeStyle: "short", timeZone });
  return `${time} (${timeZone})`;
}
