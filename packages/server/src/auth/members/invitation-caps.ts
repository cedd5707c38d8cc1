import { DAY_MS } from "@foyer/contract/rules/time";
import type { Deps } from "../../deps.ts";
import { AppError } from "../../errors.ts";
import { countInvitationsSince, openInvitations } from "./invitation-store.ts";

/** The maximum number of pending invitations of an organization. */
const MAX_OPEN = 100;
/**
 * The maximum number of invitations in 24 hours. It includes revoked ones, because each invitation was emailed to a
 * stranger. With open sign-up, new organizations start with the lower limit.
 */
const MAX_PER_DAY = { established: 100, new: 10 };
const NEW_FOR_DAYS = 7;

/** @throws 409 for too many pending invitations, 429 for too many in 24 hours */
export async function checkInvitationCaps(
  { db, config }: Pick<Deps, "db" | "config">,
  organizationId: string,
  now: number,
): Promise<void> {
  if ((await openInvitations(db, organizationId)).length >= MAX_OPEN) {
    throw new AppError("CONFLICT", `This organization has ${MAX_OPEN} pending invitations. Revoke some of them first.`);
  }
  const since = new Date(now - DAY_MS).toISOString();
  const { count, organizationCreatedAt } = await countInvitationsSince(db, organizationId, since);
  const ageMs = now - new Date(organizationCreatedAt).getTime();
  const cap = config.openSignUp && ageMs < NEW_FOR_DAYS * DAY_MS ? MAX_PER_DAY.new : MAX_PER_DAY.established;
  if (count < cap) return;
  const message = `This organization can send ${cap} invitations in 24 hours. Try again later.`;
  throw new AppError("RATE_LIMITED", message, { limit: cap, retryAfter: 3_600 });
}
