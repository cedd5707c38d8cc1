import type { Clearable, VisitorIdentifier } from "@foyer/contract";
import type { Encryption } from "../encryption.ts";
import { invalid } from "../errors.ts";

/** The identifier of a visitor. An email address is in lower case. */
export type Identifier = { kind: keyof VisitorIdentifier; value: string };

const kinds = ["userId", "email", "sessionId", "conversationId"] as const;

/** The identifier in a request. @throws 400 unless there is exactly one */
export function identifierIn(given: Clearable<VisitorIdentifier>): Identifier {
  const found = kinds.flatMap((kind) => {
    const value = given[kind];
    return value === undefined || value === null ? [] : [{ kind, value }];
  });
  const [identifier] = found;
  if (found.length !== 1 || !identifier) {
    throw invalid("", "Name the visitor by exactly one of userId, email, sessionId and conversationId", "invalid");
  }
  if (identifier.value.includes("\0")) throw invalid(identifier.kind, "must not contain NUL characters", "pattern");
  return identifier.kind === "email" ? { ...identifier, value: foldEmail(identifier.value) } : identifier;
}

export function foldEmail(address: string): string {
  return address.trim().toLowerCase();
}

/**
 * The keyed hash of an identifier for receipts and the erasure ledger. Without the server's secret, guesses cannot be
 * compared with it.
 */
export function hashOf(
  encryption: Pick<Encryption, "sign">,
  organizationId: string,
  { kind, value }: { kind: string; value: string },
): string {
  return encryption.sign("erasure", JSON.stringify([organizationId, kind, value]));
}
