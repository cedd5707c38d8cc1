import type { Db } from "../../db/open.ts";
import { invalid } from "../../errors.ts";

/** How files name members: by email address, because user ids differ between servers. */
export type MemberNames = {
  /** @throws 400 at `path` when the organization has no such member */
  idOf(path: string, name: string): string;
};

/** Looks the members up that a file names by address, or by user id. */
export async function findMembers(db: Db, organizationId: string, names: readonly string[]): Promise<MemberNames> {
  const wanted = [...new Set(names.flatMap((name) => [name, name.toLowerCase()]))];
  const rows =
    wanted.length === 0
      ? []
      : await members(db, organizationId)
          .where((where) => where.or([where("users.email", "in", wanted), where("users.id", "in", wanted)]))
          .execute();
  const ids = new Map(rows.flatMap(({ id, email }) => [[email, id] as const, [id, id] as const]));
  return {
    idOf(path, name) {
      const id = ids.get(name) ?? ids.get(name.toLowerCase());
      if (id !== undefined) return id;
      throw invalid(path, `must be the email address of a member, and ${name} is none`, "unknown_reference");
    },
  };
}

/** The email addresses of those users who are members, by user id. */
export async function readAddresses(
  db: Db,
  organizationId: string,
  userIds: readonly string[],
): Promise<Map<string, string>> {
  if (userIds.length === 0) return new Map();
  const rows = await members(db, organizationId).where("users.id", "in", userIds).execute();
  return new Map(rows.map(({ id, email }) => [id, email]));
}

function members(db: Db, organizationId: string) {
  return db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select(["users.id", "users.email"])
    .where("members.organizationId", "=", organizationId);
}
