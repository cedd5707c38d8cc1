import { MINUTE_MS } from "@foyer/contract/rules/time";
import { sql, type Transaction } from "kysely";
import { calculatePromisedTime, parseHandoff } from "../../agents/handoff.ts";
import type { Flag } from "../../db/tables/column-types.ts";
import type { AgentRow, Tables } from "../../db/tables.ts";
import { hasFormerMember } from "../former-member.ts";
import type { Emit, RequestHuman } from "./change.ts";
import { type NewRequest, newHandoff } from "./new-handoff.ts";
import { reopen } from "./reopen.ts";

/**
 * The minimum time between notices about one conversation, in milliseconds. It limits notices when a visitor repeatedly
 * requests a person and cancels.
 */
const ANNOUNCED_EVERY_MS = 3 * MINUTE_MS;
/** The time within which a limited number of an agent's requests are announced one by one. */
const ANNOUNCED_WITHIN_MS = 10 * MINUTE_MS;

/** Stores the request of a visitor who has just begun to wait. */
export type OpenRequest = (
  trx: Transaction<Tables>,
  agent: Pick<AgentRow, "id" | "handoff">,
  opened: { newRequest: NewRequest; epoch: number; isTest: Flag; now: number },
) => Promise<void>;

/**
 * Of one agent's requests, up to `maxAnnounced` within ten minutes are announced one by one (0: any number). Further ones
 * are announced together when this time is over, because anyone can make any number of visitors wait.
 */
export function createRequestOpener(emit: Emit, { maxAnnounced }: { maxAnnounced: number }): OpenRequest {
  return async (trx, agent, { newRequest, epoch, isTest, now }) => {
    const { organizationId, conversationId } = newRequest;
    const times = [
      await nextAnnouncement(trx, { organizationId, conversationId, now }),
      maxAnnounced === 0
        ? null
        : await nextOfAgent(trx, { organizationId, agentId: agent.id, limit: maxAnnounced, now }),
    ];
    const latest = Math.max(...times.map((time) => time ?? 0));
    const heldUntil = latest > now ? latest : null;
    const announcedAt = heldUntil === null ? now : null;
    const promisedAt = calculatePromisedTime(parseHandoff(agent), now);
    const handoff = newHandoff(newRequest, agent.id, { now, promisedAt, announcedAt });
    await trx.insertInto("handoffs").values(handoff).execute();
    const place = { organizationId, agentId: agent.id, conversationId, isTest: isTest === 1, epoch };
    await emit(trx, [{ ...place, kind: "requested", handoff, heldUntil }]);
  };
}

/** Creates requests for a person, in the transaction of the event that causes them. */
export function createHandoffRequests(emit: Emit, openRequest: OpenRequest) {
  const request: RequestHuman = async (trx, agent, newRequest) => {
    const { organizationId, conversationId } = newRequest;
    const now = Date.now();
    await reopen(trx, { organizationId, conversationId }, { emit, by: { userId: null, isAutomatic: true } });
    const teamId =
      (await findTeam(trx, organizationId, newRequest.teamId ?? null)) ??
      (await findTeam(trx, organizationId, parseHandoff(agent).teamId));
    const waiting = await trx
      .updateTable("conversations")
      .set({
        teamId,
        handler: "waiting",
        epoch: sql`epoch + 1`,
        waitingSince: now,
        changedAt: now,
        failedTools: 0,
        failedReplies: 0,
      })
      .where("id", "=", conversationId)
      .where("organizationId", "=", organizationId)
      .where("agentId", "=", agent.id)
      .where("trashedAt", "is", null)
      .where("handler", "=", "agent")
      .returning(["epoch", "isTest"])
      .executeTakeFirst();
    if (!waiting) return false;
    await openRequest(trx, agent, { newRequest: { ...newRequest, teamId }, ...waiting, now });
    return true;
  };

  return {
    request,
    /**
     * Makes the visitor wait again if the member who has the conversation has left the organization. The request ends,
     * and a new one with the same subject begins, so that the team is notified.
     * @returns whether the visitor is waiting now
     */
    async release(
      trx: Transaction<Tables>,
      { organizationId, conversationId }: { organizationId: string; conversationId: string },
    ): Promise<boolean> {
      const now = Date.now();
      await reopen(trx, { organizationId, conversationId }, { emit, by: { userId: null, isAutomatic: true } });
      const waiting = await trx
        .updateTable("conversations")
        .set({ handler: "waiting", assigneeId: null, epoch: sql`epoch + 1`, waitingSince: now, changedAt: now })
        .where("id", "=", conversationId)
        .where("organizationId", "=", organizationId)
        .where("handler", "=", "human")
        .where(hasFormerMember)
        .returning(["agentId", "epoch", "isTest", "teamId"])
        .executeTakeFirst();
      if (!waiting) return false;
      const { teamId } = waiting;
      const agent = await readAgent(trx, organizationId, waiting.agentId);
      const { cause, reason, summary, email } = await trx
        .updateTable("handoffs")
        .set({ endedAt: now, endedBy: "left" })
        .where("conversationId", "=", conversationId)
        .where("endedAt", "is", null)
        .returning(["cause", "reason", "summary", "email"])
        .executeTakeFirstOrThrow();
      // If a member took the conversation over without a request, the visitor is the one who now wants an answer.
      const newCause = cause === "member" ? "visitor" : cause;
      const newRequest = { organizationId, conversationId, reason, summary, email, teamId, cause: newCause };
      await openRequest(trx, agent, { newRequest, ...waiting, now });
      return true;
    },
  };
}

/** @returns the id, or null when the team does not exist, so that the visitor waits for everyone */
export async function findTeam(
  trx: Transaction<Tables>,
  organizationId: string,
  teamId: string | null,
): Promise<string | null> {
  if (teamId === null) return null;
  const team = await trx
    .selectFrom("teams")
    .select("id")
    .where("id", "=", teamId)
    .where("organizationId", "=", organizationId)
    .executeTakeFirst();
  return team?.id ?? null;
}

export function readAgent(trx: Transaction<Tables>, organizationId: string, id: string) {
  return trx
    .selectFrom("agents")
    .select(["id", "handoff"])
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .executeTakeFirstOrThrow();
}

/**
 * Returns when the team may be notified of a request in this conversation, or null for immediately. A request that a
 * member has taken causes no delay, because a visitor cannot repeat it.
 */
async function nextAnnouncement(
  trx: Transaction<Tables>,
  { organizationId, conversationId, now }: { organizationId: string; conversationId: string; now: number },
): Promise<number | null> {
  const last = await trx
    .selectFrom("handoffs")
    .select((x) => x.fn.max("announcedAt").as("at"))
    .where("organizationId", "=", organizationId)
    .where("conversationId", "=", conversationId)
    .where("takenAt", "is", null)
    .executeTakeFirst();
  const next = Number(last?.at ?? 0) + ANNOUNCED_EVERY_MS;
  return next > now ? next : null;
}

/**
 * Returns when the next request to an agent may be announced, or null for immediately.
 * @param limit how many requests are announced one by one within ten minutes
 */
async function nextOfAgent(
  trx: Transaction<Tables>,
  { organizationId, agentId, limit, now }: { organizationId: string; agentId: string; limit: number; now: number },
): Promise<number | null> {
  const last = await trx
    .selectFrom("handoffs")
    .select("announcedAt")
    .where("organizationId", "=", organizationId)
    .where("agentId", "=", agentId)
    .where("announcedAt", ">", now - ANNOUNCED_WITHIN_MS)
    .orderBy("announcedAt", "desc")
    .offset(limit - 1)
    .limit(1)
    .executeTakeFirst();
  return last?.announcedAt ? last.announcedAt + ANNOUNCED_WITHIN_MS : null;
}
