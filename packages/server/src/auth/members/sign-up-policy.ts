import type { Config } from "../../config.ts";
import type { Db } from "../../db/open.ts";
import { hasAccounts } from "../account-store.ts";
import { hasInvitation } from "./invitation-store.ts";

/**
 * May somebody new come with this address? `address`: they have shown that it is theirs. `none`: by a form that has asked
 * this here already. An empty server belongs to whoever has its set-up link, so nobody comes before them.
 */
export async function canSignUp(
  db: Db,
  { openSignUp }: Pick<Config, "openSignUp">,
  email: string,
  proof: "none" | "address" | "refused",
): Promise<boolean> {
  if (proof === "refused" || !(await hasAccounts(db))) return false;
  return proof === "none" || openSignUp || hasInvitation(db, email);
}
