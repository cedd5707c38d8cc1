import { isWithoutOwner } from "../auth/members/first-owner.ts";
import type { Deps } from "../deps.ts";
import { equalsInConstantTime } from "../encryption.ts";

/** The token that lets its holder become the owner of an empty server. It is the same in every process. */
function setUpToken({ encryption }: Pick<Deps, "encryption">): string {
  return encryption.sign("set-up", "owner");
}

export function setUpLink(deps: Pick<Deps, "encryption" | "config">): string {
  return `${deps.config.baseUrl}/dashboard/setup?token=${setUpToken(deps)}`;
}

/** Whether this is the setup token and no user exists yet. */
export async function maySetUp(deps: Pick<Deps, "encryption" | "db">, token: string): Promise<boolean> {
  return equalsInConstantTime(token, setUpToken(deps)) && (await isWithoutOwner(deps.db));
}
