import { MINUTE_MS } from "@foyer/contract/rules/time";
import { type RawBuilder, sql, type Transaction } from "kysely";
import type { ConversationLog } from "../../conversations/log/log.ts";
import { assignedAt, isUnanswered } from "../../conversations/log/unanswered.ts";
import { isVisible } from "../../db/deleted-agents.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { createLeftOut } from "../../jobs/left-out.ts";
import { createTimerLoop } from "../../jobs/timer-loop.ts";
import type { AssignConversation } from "../assign-conversation.ts";

const EVERY_MS = 2_000;
/** How long a member may leave a conversation unanswered before it moves on. */
const UNANSWERED_MS = 5 * MINUTE_MS;

type Waiting = { organizationId: string; conversationId: string; teamId: string };
type Due = Waiting & {
  kind: "escalate" | "assign" | "unanswered";
  userId: string | null;
  toTeamId: string | null;
  /** whether the member got it automatically */
  isAutomatic: boolean;
};

/** `isTried` leaves out what could not be handled in this pass. */
type Read = { limit: number; isTried: RawBuilder<boolean> };

type Parts = {
  assignConversation: AssignConversation;
  conversationLog: Pick<ConversationLog, "moveToTeam" | "passOn">;
  isPresent(trx: Transaction<Tables>, member: { organizationId: string; userId: string }): Promise<boolean>;
  now?: () => number;
};

/**
 * Assigns waiting conversations to members of their teams, passes those that no member took in time to another team, and
 * moves conversations on that a member got and did not answer. Each round reads what is waiting now, so that a member
 * who arrives or has capacity again gets the conversation that has waited longest. Several processes may run it, because
 * each assignment is a conditional write.
 */
export function createTeamAssignment(deps: Pick<Deps, "db" | "databaseKind" | "log">, parts: Parts) {
  const { db, databaseKind, log } = deps;
  const { now = Date.now } = parts;
  /** Conversations that could not be handled, and teams without an available member. */
  const leftOut = createLeftOut(databaseKind, now);

  const loop = createTimerLoop<Due>({
    everyMs: EVERY_MS,
    async readDue(limit) {
      const isTried = leftOut.excludes("conversations.id");
      const due = [
        ...(await readEscalations(db, { now: now(), limit, isTried })),
        ...(await readUnanswered(db, { now: now(), limit, isTried })),
        ...(await readWaiting(db, { limit, isTried: sql`${isTried} and ${leftOut.excludes("teams.id")}` })),
      ].slice(0, limit);
      if (due.length < limit) leftOut.endPass();
      return due;
    },
    async handle(due) {
      if (due.kind === "assign" && leftOut.has(due.teamId)) return;
      const isDone = await handleDue(deps, parts, due);
      if (!isDone) leftOut.add(due.kind === "assign" ? due.teamId : due.conversationId);
    },
    async postpone({ conversationId, kind }, error) {
      leftOut.add(conversationId, now() + MINUTE_MS);
      log.error(
        { err: error, conversationId, kind },
        "a team's conversation could not be assigned; retrying in a minute",
      );
    },
    log,
    failure: "conversations could not be assigned to members of teams",
  });
  return loop;
}

/** @returns false when nothing could be done yet */
async function handleDue(deps: Pick<Deps, "db">, parts: Parts, due: Due): Promise<boolean> {
  const { organizationId, conversationId, teamId, userId, toTeamId } = due;
  const conversation = { organizationId, conversationId };
  if (due.kind === "escalate" && toTeamId !== null) {
    return inTransaction(deps.db, (trx) =>
      parts.conversationLog.passOn(trx, conversation, { from: teamId, to: toTeamId }),
    );
  }
  if (due.kind === "unanswered" && userId !== null) return moveOn(deps, parts, { ...due, userId });
  return assignNext(parts, due, await readPresent(deps, parts, due));
}

/**
 * Moves a conversation on that its member has not answered. While the member is present, it stays with whoever took it
 * over or is writing an answer, and otherwise until a colleague is available.
 */
async function moveOn(deps: Pick<Deps, "db">, parts: Parts, due: Due & { userId: string }): Promise<boolean> {
  const { now = Date.now } = parts;
  const { organizationId, conversationId, teamId, userId } = due;
  const since = now() - UNANSWERED_MS;
  const colleagues = (await readPresent(deps, parts, due)).filter((one) => one !== userId);
  const isMoved = await inTransaction(deps.db, async (trx) => {
    const isHere = await parts.isPresent(trx, { organizationId, userId });
    const mayKeep = isHere && (!due.isAutomatic || colleagues.length === 0);
    if (mayKeep || (isHere && (await isWriting(trx, due, since)))) return false;
    return parts.conversationLog.moveToTeam(
      trx,
      { organizationId, conversationId },
      { teamId, unanswered: { userId, since } },
    );
  });
  // If no colleague gets it now, the visitor waits for the team.
  if (isMoved) await assignNext(parts, due, colleagues);
  return isMoved;
}

async function isWriting(
  trx: Transaction<Tables>,
  { organizationId, conversationId, userId }: Waiting & { userId: string },
  since: number,
): Promise<boolean> {
  const draft = await trx
    .selectFrom("messageDrafts")
    .select("conversationId")
    .where("organizationId", "=", organizationId)
    .where("conversationId", "=", conversationId)
    .where("userId", "=", userId)
    .where("updatedAt", ">=", since)
    .executeTakeFirst();
  return draft !== undefined;
}

/** The members of the team who are present and below their capacity, the next one first. */
function readPresent({ db }: Pick<Deps, "db">, { isPresent }: Parts, waiting: Waiting): Promise<string[]> {
  return inTransaction(db, async (trx) => {
    const present: string[] = [];
    for (const { userId } of await readCandidates(trx, waiting)) {
      if (await isPresent(trx, { organizationId: waiting.organizationId, userId })) present.push(userId);
    }
    return present;
  });
}

async function assignNext(
  parts: Parts,
  { organizationId, conversationId, teamId }: Waiting,
  candidates: readonly string[],
): Promise<boolean> {
  const { assignConversation, now = Date.now } = parts;
  for (const userId of candidates) {
    try {
      return await assignConversation(
        { organizationId, id: conversationId },
        { userId, mayReplace: false },
        async (trx, isAssigned) => {
          if (!isAssigned) return true;
          // This write makes a second process that assigns to the same member wait, and then count this conversation.
          const { capacity } = await trx
            .updateTable("teamMembers")
            .set({ lastAssignedAt: now() })
            .where("teamId", "=", teamId)
            .where("organizationId", "=", organizationId)
            .where("userId", "=", userId)
            .returning("capacity")
            .executeTakeFirstOrThrow(() => new NotAvailable());
          if ((await countAssigned(trx, { organizationId, teamId, userId })) > capacity) throw new NotAvailable();
          await trx
            .updateTable("handoffs")
            .set({ isAutomatic: 1 })
            .where("conversationId", "=", conversationId)
            .where("organizationId", "=", organizationId)
            .where("endedAt", "is", null)
            .execute();
          return true;
        },
      );
    } catch (error) {
      if (!(error instanceof NotAvailable)) throw error;
    }
  }
  return false;
}

/** Rolls an assignment back whose member has left the team or reached the capacity in the meantime. */
class NotAvailable extends Error {}

/** The team's members below their capacity, the next one first. */
async function readCandidates(trx: Transaction<Tables>, { organizationId, teamId }: Waiting) {
  const assigned = sql<number>`(select count(*) from conversations where conversations."teamId" = ${teamId}
    and conversations."assigneeId" = "teamMembers"."userId" and conversations.handler = 'human'
    and conversations."trashedAt" is null)`;
  const team = await trx
    .selectFrom("teams")
    .select("assignment")
    .where("id", "=", teamId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  if (!team || team.assignment === "manual") return [];
  return trx
    .selectFrom("teamMembers")
    .innerJoin("members", (join) =>
      join
        .onRef("members.organizationId", "=", "teamMembers.organizationId")
        .onRef("members.userId", "=", "teamMembers.userId"),
    )
    .select("teamMembers.userId")
    .where("teamMembers.teamId", "=", teamId)
    .where("teamMembers.organizationId", "=", organizationId)
    .where(sql<boolean>`${assigned} < "teamMembers".capacity`)
    .$if(team.assignment === "least_busy", (query) => query.orderBy(assigned))
    .orderBy("lastAssignedAt")
    .orderBy("teamMembers.userId")
    .execute();
}

async function countAssigned(
  trx: Transaction<Tables>,
  { organizationId, teamId, userId }: { organizationId: string; teamId: string; userId: string },
): Promise<number> {
  const row = await trx
    .selectFrom("conversations")
    .select((x) => x.fn.countAll<number>().as("count"))
    .where("organizationId", "=", organizationId)
    .where("teamId", "=", teamId)
    .where("assigneeId", "=", userId)
    .where(isHandedOver)
    .where("trashedAt", "is", null)
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

/** Written as a literal, because SQLite uses a partial index only for a query with the same condition. */
const isHandedOver = sql<boolean>`conversations.handler <> 'agent'`;

/** Conversations that wait for a team with automatic assignment, the longest wait first. */
async function readWaiting(db: Deps["db"], { limit, isTried }: Read): Promise<Due[]> {
  const rows = await db
    .selectFrom("teams")
    .innerJoin("conversations", "conversations.teamId", "teams.id")
    .select(["conversations.id as conversationId", "conversations.organizationId", "teams.id as teamId"])
    .where("teams.assignment", "<>", "manual")
    .where("conversations.handler", "=", "waiting")
    .where(isHandedOver)
    .where(isVisible("conversations"))
    .where(isTried)
    .orderBy("conversations.waitingSince")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, kind: "assign", userId: null, toTeamId: null, isAutomatic: false }));
}

/** Conversations that no member of their team took in time. */
async function readEscalations(db: Deps["db"], { now, limit, isTried }: Read & { now: number }): Promise<Due[]> {
  const rows = await db
    .selectFrom("handoffs")
    .innerJoin("teams", "teams.id", "handoffs.teamId")
    .innerJoin("conversations", "conversations.id", "handoffs.conversationId")
    .select(["handoffs.conversationId", "handoffs.organizationId", "teams.id as teamId"])
    .select("teams.escalationTeamId as toTeamId")
    .where("handoffs.escalatesAt", "<=", now)
    .where("handoffs.takenAt", "is", null)
    .where("handoffs.endedAt", "is", null)
    .where("teams.escalationTeamId", "is not", null)
    .where(isVisible("conversations"))
    .where(isTried)
    .orderBy("handoffs.escalatesAt")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, kind: "escalate", userId: null, isAutomatic: false }));
}

/** Conversations of teams with automatic assignment whose member has not answered for a while. */
async function readUnanswered(db: Deps["db"], { now, limit, isTried }: Read & { now: number }): Promise<Due[]> {
  const rows = await db
    .selectFrom("teams")
    .innerJoin("conversations", "conversations.teamId", "teams.id")
    .innerJoin("handoffs", "handoffs.conversationId", "conversations.id")
    .select(["conversations.id as conversationId", "conversations.organizationId", "teams.id as teamId"])
    .select(["conversations.assigneeId as userId", "handoffs.isAutomatic"])
    .where("teams.assignment", "<>", "manual")
    .where(isHandedOver)
    .where(isUnanswered(now - UNANSWERED_MS))
    .where(isVisible("conversations"))
    .where(isTried)
    .orderBy(assignedAt)
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, kind: "unanswered", toTeamId: null, isAutomatic: row.isAutomatic === 1 }));
}
