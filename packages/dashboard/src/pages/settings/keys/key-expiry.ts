import { DAY_MS } from "@foyer/contract/rules/time";

export const expiryChoices = [
  { value: "never", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
  { value: "date", label: "On a day of your choice" },
] as const;

export type ExpiryChoice = (typeof expiryChoices)[number]["value"];

/**
 * The expiry time for a choice, or `null` for never. A chosen day (`2026-01-31`) expires at its end in the user's time
 * zone.
 */
export function toExpiry(choice: ExpiryChoice, day: string, now: Date): string | null {
  if (choice === "never") return null;
  if (choice !== "date") return new Date(now.getTime() + Number(choice) * DAY_MS).toISOString();
  const end = new Date(`${day}T23:59:59.999`);
  // The server reports an error for an invalid day.
  return Number.isNaN(end.getTime()) ? day : end.toISOString();
}
