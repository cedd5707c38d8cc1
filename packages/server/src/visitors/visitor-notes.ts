import { maxNotes } from "@foyer/contract";
import { sql, type Transaction } from "kysely";
import type { Person } from "../conversations/visitor-key.ts";
import { deleteInBatches } from "../db/clean-up.ts";
import { lockRow } from "../db/lock-row.ts";
import type { Db } from "../db/open.ts";
import type { VisitorNoteRow } from "../db/tables/notes.ts";
import type { Tables } from "../db/tables.ts";
import { inTransaction } from "../db/transaction.ts";
import type { Identifier } from "./identifier.ts";

type Owner = { organizationId: string; person: Person };

/** The notes of members about visitors. */
export function createVisitorNoteStore(db: Db) {
  return {
    /** Oldest first. */
    list: ({ organizationId, person }: Owner): Promise<VisitorNoteRow[]> =>
      selectNotes(db, { organizationId, person }).selectAll().orderBy("id").limit(maxNotes).execute(),
    /**
     * Adds the note unless the visitor already has `maxNotes`. Locks the organization, so that two requests cannot both
     * use the last free slot. @returns false when there are too many
     */
    async insert(row: VisitorNoteRow, onWrite: (trx: Transaction<Tables>) => Promise<void>): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        await lockRow(trx, "organizations", row.organizationId);
        const { organizationId, kind, value } = row;
        const ids = await selectNotes(trx, { organizationId, person: { kind, value } })
          .select("id")
          .limit(maxNotes)
          .execute();
        if (ids.length >= maxNotes) return false;
        await trx.insertInto("visitorNotes").values(row).execute();
        await onWrite(trx);
        return true;
      });
    },
    /** @returns false when the visitor has no such note */
    async delete({ organizationId, person: { kind, value } }: Owner, id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom("visitorNotes")
        .where("organizationId", "=", organizationId)
        .where("kind", "=", kind)
        .where("value", "=", value)
        .where("id", "=", id)
        .executeTakeFirst();
      return numDeletedRows > 0n;
    },
  };
}

function selectNotes(db: Db, { organizationId, person: { kind, value } }: Owner) {
  return db
    .selectFrom("visitorNotes")
    .where("organizationId", "=", organizationId)
    .where("kind", "=", kind)
    .where("value", "=", value);
}

/** The people whom an identifier of an erasure or export names. */
export function peopleNamedBy({ kind, value }: Identifier): Person[] {
  if (kind === "userId") {
    return [
      { kind: "verified", value },
      { kind: "claimed", value },
    ];
  }
  if (kind === "email") return [{ kind: "email", value }];
  return kind === "sessionId" ? [{ kind: "session", value }] : [];
}

/** The notes about these people, oldest first. */
export async function readNotesAbout(
  db: Db,
  organizationId: string,
  people: readonly Person[],
): Promise<VisitorNoteRow[]> {
  const notes = [];
  for (const person of people) {
    notes.push(
      ...(await selectNotes(db, { organizationId, person }).selectAll().orderBy("id").limit(maxNotes).execute()),
    );
  }
  return notes;
}

/** Deletes the notes about these people. */
export async function deleteNotesAbout(db: Db, organizationId: string, people: readonly Person[]): Promise<void> {
  for (const { kind, value } of people) {
    await db
      .deleteFrom("visitorNotes")
      .where("organizationId", "=", organizationId)
      .where("kind", "=", kind)
      .where("value", "=", value)
      .execute();
  }
}

/** The condition for conversations of the person that a note is about, for each kind. */
const ownConversations = [
  { kinds: ["verified", "claimed"], isOwn: sql`conversations."userId" = "visitorNotes".value` },
  { kinds: ["email"], isOwn: sql`lower(conversations."userEmail") = "visitorNotes".value` },
  { kinds: ["session"], isOwn: sql`conversations."sessionId" = "visitorNotes".value` },
] as const;

/**
 * Deletes notes about visitors of whom no conversation is left, in one organization or in all.
 * @returns the number of deleted notes
 */
export async function deleteOrphanedNotes(db: Db, organizationId?: string): Promise<number> {
  let deleted = 0;
  for (const { kinds, isOwn } of ownConversations) {
    deleted += await deleteInBatches(db, async (trx, limit) => {
      const orphans = trx
        .selectFrom("visitorNotes")
        .select("id")
        .where("kind", "in", kinds)
        .$if(organizationId !== undefined, (query) => query.where("organizationId", "=", organizationId ?? ""))
        .where(
          sql<boolean>`not exists (select 1 from conversations
            where conversations."organizationId" = "visitorNotes"."organizationId" and ${isOwn})`,
        )
        .limit(limit);
      return Number(
        (await trx.deleteFrom("visitorNotes").where("id", "in", orphans).executeTakeFirst()).numDeletedRows,
      );
    });
  }
  return deleted;
}
