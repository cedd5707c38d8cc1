import type { VisitorIdentity } from "@foyer/contract";

/** Determines how much is known about who a visitor is, for members. */
export function identityLevel({
  isVerified,
  claimed,
}: {
  isVerified: boolean;
  /** the fields that a page can send without a proof */
  claimed: ReadonlyArray<string | null>;
}): VisitorIdentity {
  if (isVerified) return "verified";
  return claimed.some((value) => value !== null) ? "claimed" : "anonymous";
}
