import type { Role, Session } from "@foyer/contract";
import { toRole } from "@foyer/contract/rules/roles";
import { DAY_MS } from "@foyer/contract/rules/time";
import type { Db } from "../../db/open.ts";
import type { Encryption } from "../../encryption.ts";
import { notFound } from "../../errors.ts";
import { type CookieScope, readSessionCookie, signInSecret, writeSessionCookie } from "./session-cookie.ts";
import { activateOrganization, createSessionLookup, deleteSession, extendSession, listOrganizations } from "./store.ts";

/** The session of a signed-in user. */
export type SignedIn = {
  sessionId: string;
  token: string;
  user: Session["user"];
  /** the active organization */
  membership: { organizationId: string; name: string; plan: string; role: Role } | null;
  expiresAt: number;
  updatedAt: number;
};

const EXTEND_AFTER_MS = DAY_MS;

export type Sessions = ReturnType<typeof createSessions>;

/** Reads the sessions that better-auth wrote without importing better-auth, which most dashboard calls do not need. */
export function createSessions(db: Db, encryption: Encryption, scope: CookieScope) {
  const lookUp = createSessionLookup(db);
  const secret = signInSecret(encryption);

  async function find(token: string): Promise<SignedIn | null> {
    const row = await lookUp(token);
    if (!row || new Date(row.expiresAt).getTime() <= Date.now()) return null;
    const { organizationId, organizationName: name, plan, role } = row;
    return {
      sessionId: row.sessionId,
      token,
      user: { id: row.userId, name: row.name, email: row.email, emailVerified: Boolean(row.emailVerified) },
      membership:
        organizationId && name !== null && plan && role ? { organizationId, name, plan, role: toRole(role) } : null,
      expiresAt: new Date(row.expiresAt).getTime(),
      updatedAt: new Date(row.updatedAt).getTime(),
    };
  }

  return {
    find,
    cookieName: scope.name,
    /** The session of this `Cookie` header, or null. */
    async authenticate(cookies: string | undefined): Promise<SignedIn | null> {
      const token = readSessionCookie(secret, cookies, scope);
      return token === null ? null : find(token);
    },
    /** The `Set-Cookie` header for a token; null deletes the cookie. */
    cookie: (token: string | null): string => writeSessionCookie(secret, token, scope),
    /** Extends a session that is in use, at most once a day. @returns whether the browser needs a new cookie */
    async extend(session: SignedIn): Promise<boolean> {
      if (Date.now() - session.updatedAt < EXTEND_AFTER_MS) return false;
      await extendSession(db, session.sessionId, Date.now());
      return true;
    },
    end: (token: string): Promise<void> => deleteSession(db, token),
    /** Ends the session of this `Cookie` header, if there is one. */
    async endPrevious(cookies: string | undefined): Promise<void> {
      const token = readSessionCookie(secret, cookies, scope);
      if (token !== null) await deleteSession(db, token);
    },
    /** @throws 404 for an organization that the user does not belong to */
    async switchTo({ sessionId }: SignedIn, organizationId: string): Promise<void> {
      if (!(await activateOrganization(db, sessionId, organizationId))) throw notFound("Organization");
    },
    /** The session as shown to its user. */
    async describe({ user, membership, expiresAt }: SignedIn): Promise<Session> {
      const organizations = await listOrganizations(db, user.id);
      return {
        user,
        organization: membership && { id: membership.organizationId, name: membership.name, plan: membership.plan },
        role: membership?.role ?? null,
        organizations: organizations.map(({ role, ...rest }) => ({ ...rest, role: toRole(role) })),
        expiresAt: new Date(expiresAt).toISOString(),
      };
    },
  };
}
