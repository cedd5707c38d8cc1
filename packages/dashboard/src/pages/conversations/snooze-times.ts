const MORNING = 9;

/** The times until which a conversation can be snoozed, in the user's time zone. */
export function listSnoozeTimes(now: Date): Array<{ label: string; at: Date }> {
  const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
  // By the calendar, because a day with a clock change does not have 24 hours.
  const morningIn = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, MORNING);
  const untilMonday = (8 - now.getDay()) % 7 || 7;
  return [
    { label: "For an hour", at: inHours(1) },
    { label: "For three hours", at: inHours(3) },
    { label: "Until tomorrow", at: morningIn(1) },
    // On a Sunday, Monday is tomorrow.
    ...(untilMonday === 1 ? [] : [{ label: "Until Monday", at: morningIn(untilMonday) }]),
    // On a Monday, the next one is in a week.
    ...(untilMonday === 7 ? [] : [{ label: "For a week", at: morningIn(7) }]),
  ];
}
