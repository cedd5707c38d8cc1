import type { Author, Handoff, Ownership, Person, ReplyClock } from "@foyer/contract";
import { toInitials } from "@foyer/contract/rules/initials";
import { findNextTarget } from "@foyer/contract/rules/reply-targets";
import type { Db } from "../db/open.ts";
import type { HandoffRow } from "../db/tables/handoff.ts";
import type { ConversationRow, MessageRow } from "../db/tables.ts";

type Owned = Pick<ConversationRow, "id" | "handler" | "epoch" | "assigneeId">;

/**
 * @returns a function that reads the ownership of each of these conversations. `isMember` includes what visitors do not
 * see: the members' ids, the summary and the email address
 */
export function createOwnershipReader(db: Db) {
  return async (owned: readonly Owned[], isMember: boolean): Promise<(row: Owned) => Ownership> => {
    const handed = owned.filter(({ handler }) => handler !== "agent").map(({ id }) => id);
    const handoffs = handed.length === 0 ? [] : await readCurrentHandoffs(db, handed);
    const userIds = [...new Set(owned.flatMap(({ assigneeId }) => assigneeId ?? []))];
    const users = userIds.length === 0 ? [] : await readUsers(db, userIds);
    const teamIds = isMember ? [...new Set(handoffs.flatMap(({ teamId }) => teamId ?? []))] : [];
    const teams = teamIds.length === 0 ? [] : await readTeams(db, teamIds);
    return ({ id, handler, epoch, assigneeId }) => {
      const handoff = handoffs.find(({ conversationId }) => conversationId === id);
      const user = users.find((one) => one.id === assigneeId);
      const assignee = assigneeId === null ? null : toPerson({ id: assigneeId, name: user?.name ?? null }, isMember);
      const shown = { handler, epoch, assignee, handoff: handoff ? toHandoff(handoff, isMember) : null };
      if (!isMember || !handoff) return shown;
      const team = teams.find((one) => one.id === handoff.teamId) ?? null;
      return { ...shown, team, clock: toClock(handoff) };
    };
  };
}

function readCurrentHandoffs(db: Db, conversationIds: string[]): Promise<HandoffRow[]> {
  return db
    .selectFrom("handoffs")
    .selectAll()
    .where("conversationId", "in", conversationIds)
    .where("endedAt", "is", null)
    .execute();
}

function readTeams(db: Db, ids: string[]) {
  return db.selectFrom("teams").select(["id", "name"]).where("id", "in", ids).execute();
}

function readUsers(db: Db, ids: string[]) {
  return db.selectFrom("users").select(["id", "name"]).where("id", "in", ids).execute();
}

/**
 * A member as others see them. The account may have been deleted in the meantime, and members who signed up with an
 * email link have no name until they enter one.
 */
export function toPerson({ id, name }: { id: string | null; name: string | null }, isMember: boolean): Person {
  const shown = name === null ? "Former member" : name.trim() || "Member";
  return { ...(isMember && id !== null ? { userId: id } : {}), name: shown, initials: toInitials(shown) };
}

export function toAuthor(row: Pick<MessageRow, "role" | "authorId" | "authorName">, isMember: boolean): Author {
  if (row.role === "user") return { kind: "visitor", person: null };
  if (row.authorName === null) return { kind: "agent", person: null };
  return { kind: "member", person: toPerson({ id: row.authorId, name: row.authorName }, isMember) };
}

function toHandoff(row: HandoffRow, isMember: boolean): Handoff {
  const { cause, reason, summary, email, requestedAt, promisedAt, takenAt, answeredAt, escalatedTo } = row;
  return {
    cause,
    reason,
    requestedAt: new Date(requestedAt).toISOString(),
    promisedAt: timestamp(promisedAt),
    takenAt: timestamp(takenAt),
    answeredAt: timestamp(answeredAt),
    ...(isMember ? { summary, email, escalatedTo } : {}),
  };
}

/** The team's next target. */
function toClock({ targets }: Pick<HandoffRow, "targets">): ReplyClock | null {
  const next = targets === null ? null : findNextTarget(JSON.parse(targets));
  if (next === null) return null;
  const { kind, dueAt, warnAt } = next;
  return { kind, dueAt: new Date(dueAt).toISOString(), warnAt: new Date(warnAt).toISOString() };
}

const timestamp = (at: number | null) => (at === null ? null : new Date(at).toISOString());
