import { MINUTE_MS } from "@foyer/contract/rules/time";
import { sql, type Transaction } from "kysely";
import type { ConversationLog } from "../../conversations/log/log.ts";
import { isVisible } from "../../db/deleted-agents.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import { createTimerLoop } from "../../jobs/timer-loop.ts";
import type { AssignConversation } from "../assign-conversation.ts";

const EVERY_MS = 2_000;
/** How long a member to whom a conversation was assigned can be absent without answering before the visitor waits again. */
const ABSENT_MS = 5 * MINUTE_MS;

type Waiting = { organizationId: string; conversationId: string; teamId: string };
type Due = Waiting & { kind: "escalate" | "assign" | "absent"; userId: string | null; toTeamId: string | null };

type Parts = {
  assignConversation: AssignConversation;
  conversationLog: Pick<ConversationLog, "moveToTeam" | "passOn">;
  isPresent(trx: Transaction<Tables>, member: { organizationId: string; userId: string }): Promise<boolean>;
  now?: () => number;
};

/**
 * Assigns waiting conversations to members of their teams, passes those that no member took in time to another team, and
 * lets a visitor wait again whose member left before answering. Each round reads what is waiting now, so that a member
 * who arrives or has capacity again gets the conversation that has waited longest. Several processes may run it, because
 * each assignment is a conditional write.
 */
export function createTeamAssignment(deps: Pick<Deps, "db" | "log">, parts: Parts) {
  const { db, log } = deps;
  const { now = Date.now } = parts;
  /** Conversations whose handling failed or for which no member was available, until when they are left out. */
  const skipped = new Map<string, number>();

  const loop = createTimerLoop<Due>({
    everyMs: EVERY_MS,
    async readDue(limit) {
      for (const [id, until] of skipped) if (until <= now()) skipped.delete(id);
      const due = [
        ...(await readEscalations(db, now(), limit)),
        ...(await readAbsent(db, now(), limit)),
        ...(await readWaiting(db, limit)),
      ];
      return due.filter(({ conversationId }) => !skipped.has(conversationId)).slice(0, limit);
    },
    async handle(due) {
      const isDone = await handleDue(deps, parts, due);
      if (!isDone) skipped.set(due.conversationId, now() + EVERY_MS);
    },
    async postpone({ conversationId, kind }, error) {
      skipped.set(conversationId, now() + MINUTE_MS);
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
  const { db } = deps;
  const { conversationLog, isPresent } = parts;
  const { organizationId, conversationId, teamId, userId, toTeamId } = due;
  const conversation = { organizationId, conversationId };
  if (due.kind === "escalate" && toTeamId !== null) {
    return inTransaction(db, (trx) => conversationLog.passOn(trx, conversation, { from: teamId, to: toTeamId }));
  }
  if (due.kind === "absent" && userId !== null) {
    return inTransaction(db, async (trx) => {
      if (await isPresent(trx, { organizationId, userId })) return false;
      return conversationLog.moveToTeam(trx, conversation, { teamId, from: userId });
    });
  }
  return assignNext(deps, parts, due);
}

async function assignNext({ db }: Pick<Deps, "db">, parts: Parts, waiting: Waiting): Promise<boolean> {
  const { assignConversation, isPresent, now = Date.now } = parts;
  const { organizationId, conversationId, teamId } = waiting;
  const candidates = await inTransaction(db, async (trx) => {
    const members = await readCandidates(trx, waiting);
    const present: string[] = [];
    for (const { userId } of members) if (await isPresent(trx, { organizationId, userId })) present.push(userId);
    return present;
  });
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
async function readWaiting(db: Deps["db"], limit: number): Promise<Due[]> {
  const rows = await db
    .selectFrom("teams")
    .innerJoin("conversations", "conversations.teamId", "teams.id")
    .select(["conversations.id as conversationId", "conversations.organizationId", "teams.id as teamId"])
    .where("teams.assignment", "<>", "manual")
    .where("conversations.handler", "=", "waiting")
    .where(isHandedOver)
    .where(isVisible("conversations"))
    .orderBy("conversations.waitingSince")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, kind: "assign", userId: null, toTeamId: null }));
}

/** Conversations that no member of their team took in time. */
async function readEscalations(db: Deps["db"], now: number, limit: number): Promise<Due[]> {
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
    .orderBy("handoffs.escalatesAt")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, kind: "escalate", userId: null }));
}

/** Conversations of teams with automatic assignment whose member has not answered for a while. */
async function readAbsent(db: Deps["db"], now: number, limit: number): Promise<Due[]> {
  const rows = await db
    .selectFrom("teams")
    .innerJoin("conversations", "conversations.teamId", "teams.id")
    .innerJoin("handoffs", "handoffs.conversationId", "conversations.id")
    .select(["conversations.id as conversationId", "conversations.organizationId", "teams.id as teamId"])
    .select("conversations.assigneeId as userId")
    .where("teams.assignment", "<>", "manual")
    .where("conversations.handler", "=", "human")
    .where(isHandedOver)
    .where("handoffs.endedAt", "is", null)
    .where("handoffs.answeredAt", "is", null)
    .where("handoffs.takenAt", "<", now - ABSENT_MS)
    .where(isVisible("conversations"))
    .orderBy("handoffs.takenAt")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, kind: "absent", toTeamId: null }));
}
