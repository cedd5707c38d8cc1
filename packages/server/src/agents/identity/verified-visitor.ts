import { createHmac } from "node:crypto";
import type { VerifiedVisitor } from "@foyer/contract";
import type { AgentRow } from "../../db/tables.ts";
import { type Encryption, equalsInConstantTime } from "../../encryption.ts";
import { readUserToken } from "./user-token.ts";

/** The part of a request that identifies its visitor. */
export type IdentityProof = {
  userId?: string | null | undefined;
  userHash?: string | null | undefined;
  userToken?: string | null | undefined;
};

/**
 * The visitor that a request proves, or null when it proves none. A token proves everything that it contains. A
 * `userHash` proves the id alone, and a wrong one proves nothing. The agent's secret is decrypted only when needed.
 * @throws 401 INVALID_USER_TOKEN for an invalid token, so that a request with one never counts as anonymous
 */
export async function verifyVisitor(
  { userId, userHash, userToken }: IdentityProof,
  { id, identitySecret }: Pick<AgentRow, "id" | "identitySecret">,
  encryption: Encryption,
): Promise<VerifiedVisitor | null> {
  if (typeof userToken === "string") {
    const { visitor } = await readUserToken(userToken, { agentId: id, secret: encryption.decrypt(identitySecret, id) });
    return visitor;
  }
  if (!userId || !userHash) return null;
  const expected = createHmac("sha256", encryption.decrypt(identitySecret, id)).update(userId).digest("hex");
  return equalsInConstantTime(expected, userHash.toLowerCase())
    ? { id: userId, email: null, name: null, claims: {} }
    : null;
}
