import type { HandoffCause } from "@foyer/contract";
import type { HandoffRow } from "../../db/tables/handoff.ts";
import { newId } from "../../ids.ts";

/** A request for a person. */
export type NewRequest = {
  organizationId: string;
  conversationId: string;
  cause: HandoffCause;
  reason: string | null;
  summary?: string | null;
  email?: string | null;
  /** the team that was asked for; without it, that of the agent's settings */
  teamId?: string | null;
};

/**
 * Creates the row of a handoff.
 * @param times.takenBy the id of the member who took the conversation over without a request
 */
export function newHandoff(
  { organizationId, conversationId, cause, reason, summary = null, email = null, teamId = null }: NewRequest,
  agentId: string,
  times: { now: number; promisedAt: number | null; announcedAt?: number | null; takenBy?: string },
): HandoffRow {
  const takenBy = times.takenBy ?? null;
  return {
    id: newId("hnd"),
    organizationId,
    agentId,
    conversationId,
    cause,
    reason,
    summary,
    email,
    requestedAt: times.now,
    promisedAt: times.promisedAt,
    takenAt: takenBy === null ? null : times.now,
    takenBy,
    assignedAt: takenBy === null ? null : times.now,
    isAutomatic: 0,
    answeredAt: null,
    endedAt: null,
    endedBy: null,
    endedById: null,
    note: null,
    escalatedTo: 0,
    announcedAt: times.announcedAt ?? null,
    notified: "[]",
    teamId,
    escalatesAt: null,
    targets: null,
    warnAt: null,
    nextMet: 0,
    nextMissed: 0,
    openAnswerMs: null,
    openEndMs: null,
    openHandlingMs: null,
    ratingMailedAt: null,
  };
}
