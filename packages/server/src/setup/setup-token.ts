import { isWithoutOwner } from "../auth/members/first-owner.ts";
import type { Deps } from "../deps.ts";
import { sameText } from "../encryption.ts";

/** The token that lets its holder become the owner of an empty server. The same in every process, dead once used. */
function setUpToken({ secrets }: Pick<Deps, "secrets">): string {
  return secrets.sign("set-up", "owner");
}

export function setUpLink(deps: Pick<Deps, "secrets" | "config">): string {
  return `${deps.config.baseUrl}/dashboard/setup?token=${setUpToken(deps)}`;
}

/** True while there is no account, for the token that was printed at the start. */
export async function maySetUp(deps: Pick<Deps, "secrets" | "db">, token: string): Promise<boolean> {
  return sameText(token, setUpToken(deps)) && (await isWithoutOwner(deps.db));
}
