import type { HandoffRecord } from "@foyer/contract";
import type { HandoffRow } from "../db/handoff-tables.ts";
import type { Db } from "../db/open.ts";
import type { ConversationRow } from "../db/tables.ts";
import { toPerson } from "./ownership.ts";

const MAX_RECORDS = 100;

const outcomes = { member: "returned", closed: "closed", visitor: "cancelled", left: "left" } as const;

/** How a conversation's requests for a person were handled: the newest 100, oldest first. Only for members. */
export async function readHandoffRecords(
  db: Db,
  { id, organizationId }: Pick<ConversationRow, "id" | "organizationId">,
): Promise<HandoffRecord[]> {
  const rows = await db
    .selectFrom("handoffs")
    .selectAll()
    .where("conversationId", "=", id)
    .where("organizationId", "=", organizationId)
    .orderBy("requestedAt", "desc")
    .orderBy("id", "desc")
    .limit(MAX_RECORDS)
    .execute();
  const ids = [...new Set(rows.flatMap(({ takenBy, endedById }) => [takenBy, endedById].filter((id) => id !== null)))];
  const users =
    ids.length === 0 ? [] : await db.selectFrom("users").select(["id", "name"]).where("id", "in", ids).execute();
  const findPerson = (id: string | null) =>
    id === null ? null : toPerson({ id, name: users.find((user) => user.id === id)?.name ?? null }, true);
  return rows.reverse().map((row) => toRecord(row, findPerson));
}

function toRecord(row: HandoffRow, personOf: (id: string | null) => HandoffRecord["takenBy"]): HandoffRecord {
  const { cause, reason, requestedAt, takenAt, takenBy, endedAt, endedBy, endedById, note } = row;
  return {
    cause,
    reason,
    requestedAt: new Date(requestedAt).toISOString(),
    takenAt: takenAt === null ? null : new Date(takenAt).toISOString(),
    takenBy: personOf(takenBy),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    endedHow: endedBy && outcomes[endedBy],
    endedBy: personOf(endedById),
    note,
  };
}
