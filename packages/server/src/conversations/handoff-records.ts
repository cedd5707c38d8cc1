import type { AnswerEmail, HandoffRecord } from "@foyer/contract";
import type { Db } from "../db/open.ts";
import type { HandoffRow } from "../db/tables/handoff.ts";
import type { ConversationRow } from "../db/tables.ts";
import { toPerson } from "./ownership.ts";

const MAX_RECORDS = 100;

const outcomes = { member: "returned", closed: "closed", visitor: "cancelled", left: "left", moved: "moved" } as const;

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

/** The emails with members' answers: the newest 100, oldest first. Only for members. */
export async function readAnswerEmails(
  db: Db,
  { id, organizationId }: Pick<ConversationRow, "id" | "organizationId">,
): Promise<AnswerEmail[]> {
  const rows = await db
    .selectFrom("deliveries")
    .select(["deliveries.id", "target", "state", "dueAt"])
    .select((x) =>
      x
        .selectFrom("deliveryAttempts")
        .select((y) => y.fn.max("startedAt").as("at"))
        .whereRef("deliveryId", "=", "deliveries.id")
        .as("sentAt"),
    )
    .where("conversationId", "=", id)
    .where("organizationId", "=", organizationId)
    .where("kind", "=", "notice")
    // A target contains no text of people, so it matches nothing else.
    .where("target", "like", '%"notice":"answer"%')
    .orderBy("createdAt", "desc")
    .orderBy("deliveries.id", "desc")
    .limit(MAX_RECORDS)
    .execute();
  if (rows.length === 0) return [];
  const handoffs = await db
    .selectFrom("handoffs")
    .select(["id", "email"])
    .where("conversationId", "=", id)
    .where("organizationId", "=", organizationId)
    .where("email", "is not", null)
    .execute();
  return rows.reverse().flatMap(({ target, state, dueAt, sentAt }) => {
    const { handoffId }: { handoffId: string } = JSON.parse(target);
    const to = handoffs.find((handoff) => handoff.id === handoffId)?.email;
    if (!to) return [];
    return [
      { to, at: new Date(Number(sentAt ?? dueAt)).toISOString(), state: state === "waiting" ? "pending" : state },
    ];
  });
}

function toRecord(row: HandoffRow, personOf: (id: string | null) => HandoffRecord["takenBy"]): HandoffRecord {
  const { cause, reason, email, requestedAt, takenAt, takenBy, endedAt, endedBy, endedById, note } = row;
  return {
    cause,
    reason,
    email,
    requestedAt: new Date(requestedAt).toISOString(),
    takenAt: takenAt === null ? null : new Date(takenAt).toISOString(),
    takenBy: personOf(takenBy),
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    endedHow: endedBy && outcomes[endedBy],
    endedBy: personOf(endedById),
    note,
  };
}
