import type { Config } from "../../config.ts";
import type { Db } from "../../db/open.ts";
import { hasAccounts } from "../account-store.ts";
import { hasInvitation } from "./invitation-store.ts";

/**
 * Whether a new user may sign up with this address. The proof is `address` when the user verified the address, and
 * `none` for the sign-up form, which checks the policy itself. Sign-up is closed on a server without users: the first
 * owner is created with the setup link.
 */
export async function canSignUp(
  db: Db,
  { openSignUp }: Pick<Config, "openSignUp">,
  { email, proof }: { email: string; proof: "none" | "address" | "refused" },
): Promise<boolean> {
  if (proof === "refused" || !(await hasAccounts(db))) return false;
  return proof === "none" || openSignUp || hasInvitation(db, email);
}
