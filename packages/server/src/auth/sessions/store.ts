import { compileOnce } from "../../db/compiled-query.ts";
import type { Db } from "../../db/open.ts";
import { SESSION_SECONDS } from "./session-cookie.ts";

type Stored = {
  sessionId: string;
  userId: string;
  email: string;
  name: string;
  emailVerified: boolean | 0 | 1;
  expiresAt: string | Date;
  updatedAt: string | Date;
  organizationId: string | null;
  organizationName: string | null;
  plan: string | null;
  role: string | null;
};

/** Looks up a session by token in one query. The organization is null when the user is not (or no longer) a member. */
export function createSessionLookup(db: Db) {
  const query = compileOnce<{ token: string }, Stored>((param) =>
    db
      .selectFrom("sessions")
      .innerJoin("users", "users.id", "sessions.userId")
      .leftJoin("members", (join) =>
        join
          .onRef("members.userId", "=", "sessions.userId")
          .onRef("members.organizationId", "=", "sessions.activeOrganizationId"),
      )
      .leftJoin("organizations", "organizations.id", "members.organizationId")
      .select(["sessions.id as sessionId", "sessions.expiresAt", "sessions.updatedAt"])
      .select(["users.id as userId", "users.email", "users.name", "users.emailVerified"])
      .select(["members.organizationId", "members.role"])
      .select(["organizations.name as organizationName", "organizations.plan"])
      .where("sessions.token", "=", param("token")),
  );
  return async (token: string) => (await query(db, { token })).rows[0];
}

export async function extendSession(db: Db, id: string, now: number): Promise<void> {
  const updatedAt = new Date(now).toISOString();
  const expiresAt = new Date(now + SESSION_SECONDS * 1_000).toISOString();
  await db.updateTable("sessions").set({ updatedAt, expiresAt }).where("id", "=", id).execute();
}

export async function deleteSession(db: Db, token: string): Promise<void> {
  await db.deleteFrom("sessions").where("token", "=", token).execute();
}

/** @returns false when the session's user does not belong to the organization */
export async function activateOrganization(db: Db, sessionId: string, organizationId: string): Promise<boolean> {
  const result = await db
    .updateTable("sessions")
    .set({ activeOrganizationId: organizationId })
    .where("id", "=", sessionId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("members")
          .select("members.id")
          .whereRef("members.userId", "=", "sessions.userId")
          .where("members.organizationId", "=", organizationId),
      ),
    )
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** The user's organizations, ordered by the time of joining. */
export async function listOrganizations(db: Db, userId: string) {
  return db
    .selectFrom("members")
    .innerJoin("organizations", "organizations.id", "members.organizationId")
    .select(["organizations.id", "organizations.name", "members.role"])
    .where("members.userId", "=", userId)
    .orderBy("members.id")
    .execute();
}
