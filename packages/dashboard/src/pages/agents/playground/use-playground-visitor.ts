import type { Page } from "@foyer/contract";
import { FoyerError, type Output } from "@foyer/sdk";
import { useRef, useState } from "react";
import {
  emptyVisitor,
  parseJsonObject,
  toActingVisitor,
  type VisitorDraft,
} from "../../../components/acting-visitor.ts";
import { api } from "../../../data/api.ts";

/** Who chats in the playground, and on which page. `self` is the member, whose email address is not verified. */
export type PlaygroundVisitor = VisitorDraft & {
  identity: "self" | "anonymous" | "verified";
  pageUrl: string;
  pageTitle: string;
  /** A JSON object as text. */
  pageContext: string;
};

export const ownVisitor: PlaygroundVisitor = {
  ...emptyVisitor,
  identity: "self",
  pageUrl: "",
  pageTitle: "",
  pageContext: "",
};

/**
 * The page for a message, or null when none is given.
 * @throws FoyerError that names the invalid fields
 */
export function toPage({ pageUrl, pageTitle, pageContext }: PlaygroundVisitor): Page | null {
  const url = pageUrl.trim();
  const context = parseJsonObject(pageContext);
  const details = [
    ...(url === "" || /^https?:\/\//i.test(url)
      ? []
      : [{ path: "pageUrl", message: "must start with https:// or http://" }]),
    ...(context === undefined ? [{ path: "pageContext", message: "must be a JSON object: { … }" }] : []),
  ];
  if (details.length > 0) throw new FoyerError("VALIDATION_ERROR", "Fix the page's fields first.", { details });
  const page = { url: url || null, title: pageTitle.trim() || null, context: context ?? null };
  return Object.values(page).some((value) => value !== null) ? page : null;
}

/** The visitor in a few words, for the playground's header. */
export function describeVisitor({ identity, id, name, email }: PlaygroundVisitor): string {
  if (identity === "self") return "You";
  return identity === "anonymous" ? "Anonymous" : name.trim() || email.trim() || id.trim();
}

/** Whether two visitors are the same person to the server. The page may differ. */
export function isSameVisitor(one: PlaygroundVisitor, other: PlaygroundVisitor): boolean {
  if (one.identity !== other.identity) return false;
  const names = ["id", "email", "name", "claims"] as const;
  return one.identity !== "verified" || names.every((name) => one[name] === other[name]);
}

/** A token is replaced this long before it expires, in milliseconds. */
const TOKEN_MARGIN = 60_000;

type SignedToken = Output<"createIdentityToken"> & { agentId: string; visitor: PlaygroundVisitor };

/** The visitor and the page as which `user` chats. The server signs a token for a verified visitor. */
export function usePlaygroundVisitor(agentId: string, user: { name: string; email: string } | undefined) {
  const [visitor, setVisitor] = useState<PlaygroundVisitor>(ownVisitor);
  const signed = useRef<SignedToken | null>(null);

  /**
   * Returns a token that proves a verified visitor, or null for any other visitor. With `isNew`, it never returns an
   * earlier token, whose secret may have been replaced.
   */
  async function fetchUserToken(isNew: boolean): Promise<string | null> {
    if (visitor.identity !== "verified") return null;
    const known = signed.current;
    // A token of the previous visitor can arrive after the visitor has changed.
    const isOwn = known?.agentId === agentId && isSameVisitor(known.visitor, visitor);
    if (!isNew && known && isOwn && Date.parse(known.expiresAt) > Date.now() + TOKEN_MARGIN) return known.token;
    const created = await api.createIdentityToken({ id: agentId, body: toActingVisitor(visitor) });
    signed.current = { ...created, agentId, visitor };
    return created.token;
  }

  async function createIdentityFields(hasNewToken: boolean) {
    if (visitor.identity === "anonymous") return {};
    if (visitor.identity === "self") return { userEmail: user?.email ?? null, userName: user?.name || null };
    return { userToken: await fetchUserToken(hasNewToken) };
  }

  return {
    visitor,
    setVisitor,
    userToken: fetchUserToken,
    /** The visitor and the page, as fields of a message. */
    messageFields: async ({ hasNewToken }: { hasNewToken: boolean }) => ({
      page: toPage(visitor),
      ...(await createIdentityFields(hasNewToken)),
    }),
  };
}
