import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { Identity } from "../foyer-api.ts";

/** An identity whose user is known, from the page or from the token. */
export type KnownIdentity = Omit<Identity, "userId"> & { userId: string };

/**
 * Adds the fields of the token to the identity, for the lists of conversations and the defaults of forms. Only the
 * server verifies the token. An unreadable token is treated as a separate user, and the server rejects it.
 */
export function withTokenFields(identity: Identity): KnownIdentity {
  const { userToken } = identity;
  const userId = toText(identity.userId || userToken);
  if (!userToken) return { ...identity, userId };
  try {
    const bytes = [...atob((userToken.split(".")[1] ?? "").replace(/-/g, "+").replace(/_/g, "/"))];
    const text = new TextDecoder().decode(new Uint8Array(bytes.map((character) => character.charCodeAt(0))));
    const { sub, email, name } = JSON.parse(text);
    const known = omitUndefined({ userEmail: email || undefined, userName: name || undefined });
    return { ...identity, ...known, userId: toText(sub) || userId };
  } catch {
    return { ...identity, userId };
  }
}

/** The user's id, which pages also pass as a number. */
const toText = (id: unknown) => (id && typeof id !== "object" ? String(id) : "");
