import { maxMentions } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { Db } from "../../db/open.ts";
import type { Tables } from "../../db/tables.ts";

/** In a larger organization, only these members can be mentioned. */
const MAX_MEMBERS = 500;

export type Mention = { userId: string; name: string };

/** Notifies the mentioned members, in the transaction that stores the note. */
export type AnnounceMentions = (
  trx: Transaction<Tables>,
  note: { id: string; organizationId: string; conversationId: string },
  userIds: readonly string[],
) => Promise<void>;

/** The members whom a note mentions. */
export async function readMentions(db: Db, organizationId: string, text: string): Promise<Mention[]> {
  if (!text.includes("@")) return [];
  const members = await db
    .selectFrom("members")
    .innerJoin("users", "users.id", "members.userId")
    .select(["members.userId", "users.name", "users.email"])
    .where("members.organizationId", "=", organizationId)
    .orderBy("members.id")
    .limit(MAX_MEMBERS)
    .execute();
  return findMentions(
    text,
    members.map(({ userId, name, email }) => ({ userId, name: name || email })),
  );
}

/**
 * The members whose name a text contains after an `@`: the whole name, or the first name if only one member has it. The
 * longest name wins, so that "@Ann Lee" is not Ann. At most `maxMentions`.
 */
export function findMentions(text: string, members: readonly Mention[]): Mention[] {
  const fold = (name: string) => name.trim().normalize("NFC").toLowerCase();
  const firstName = (name: string) => fold(name).split(/\s/)[0] ?? "";
  const byFirstName = Map.groupBy(members, ({ name }) => firstName(name));
  const names = Map.groupBy(members, ({ name }) => fold(name));
  for (const [name, [member, another]] of byFirstName) {
    if (member && !another && !names.has(name)) names.set(name, [member]);
  }
  const longestFirst = [...names].filter(([name]) => name !== "").sort(([a], [b]) => b.length - a.length);
  const folded = fold(text);
  const found = new Set<Mention>();
  // A letter or digit before it makes it an email address.
  for (const { index } of folded.matchAll(/(?<![\p{L}\p{N}_.])@/gu)) {
    const rest = folded.slice(index + 1);
    const match = longestFirst.find(
      ([name]) => rest.startsWith(name) && !/^[\p{L}\p{N}_]/u.test(rest.slice(name.length)),
    );
    for (const member of match?.[1] ?? []) found.add(member);
  }
  return [...found].slice(0, maxMentions);
}
