import type { TrashKind } from "@foyer/contract";
import { DAY_MS } from "@foyer/contract/rules/time";
import type { Kysely, Transaction } from "kysely";
import type { Config } from "../config.ts";
import type { TrashRow } from "../db/tables/trash.ts";
import type { Tables } from "../db/tables.ts";
import { AppError } from "../errors.ts";

type Place = Pick<TrashRow, "organizationId" | "id"> & { kind: TrashKind };

/** Who moves something to the trash, and when. */
export type Trashing = Pick<TrashRow, "trashedBy" | "trashedAt">;

type NewEntry = Omit<TrashRow, "isPurging" | "conversationId" | "documentId">;

/** Notes in the transaction that hides something that it is in the trash. */
export async function putIntoTrash(trx: Transaction<Tables>, entries: readonly NewEntry[]): Promise<void> {
  const rows = entries.map((entry) => ({
    ...entry,
    conversationId: entry.kind === "conversation" ? entry.id : null,
    documentId: entry.kind === "document" ? entry.id : null,
  }));
  const columns = ["organizationId", "agentId", "kind", "name", "content", "trashedBy", "trashedAt"] as const;
  await trx
    .insertInto("trash")
    .values(rows)
    // A tool or trigger comes back without its entry when a draft is discarded or a version of its agent is restored.
    .onConflict((conflict) =>
      conflict.column("id").doUpdateSet((x) => ({
        ...Object.fromEntries(columns.map((name) => [name, x.ref(`excluded.${name}`)])),
        isPurging: 0,
      })),
    )
    .execute();
}

/** The entry of something in the trash. @throws 404 when it is not there, 409 when its agent is in the trash as well */
export async function findInTrash(db: Kysely<Tables>, place: Place): Promise<TrashRow> {
  const entry = await selectEntry(db, place).selectAll().executeTakeFirst();
  if (!entry) throw notInTrashError();
  if (entry.kind === "agent") return entry;
  const agent = await db
    .selectFrom("agents")
    .select("deletedAt")
    .where("id", "=", entry.agentId)
    .where("organizationId", "=", place.organizationId)
    .executeTakeFirst();
  if (agent?.deletedAt === null) return entry;
  throw new AppError("CONFLICT", "Its agent is in the trash as well. Restore the agent first.");
}

/**
 * Takes an entry out of the trash, in the transaction that restores it. Only one of several concurrent calls succeeds,
 * and none once the permanent deletion has begun.
 * @throws 404
 */
export async function takeFromTrash(trx: Transaction<Tables>, place: Place): Promise<TrashRow> {
  const entry = await trx
    .deleteFrom("trash")
    .where("id", "=", place.id)
    .where("organizationId", "=", place.organizationId)
    .where("kind", "=", place.kind)
    .where("isPurging", "=", 0)
    .returningAll()
    .executeTakeFirst();
  if (!entry) throw notInTrashError();
  return entry;
}

/** When something that is moved to the trash now will be deleted. Null when the server keeps no trash. */
export function deletionTime({ trashDays }: Pick<Config, "trashDays">, trashedAt: number): string | null {
  return trashDays === 0 ? null : new Date(trashedAt + trashDays * DAY_MS).toISOString();
}

function selectEntry(db: Kysely<Tables>, { organizationId, kind, id }: Place) {
  return db
    .selectFrom("trash")
    .where("id", "=", id)
    .where("organizationId", "=", organizationId)
    .where("kind", "=", kind)
    .where("isPurging", "=", 0);
}

function notInTrashError(): AppError {
  return new AppError("NOT_FOUND", "This is not in the trash. It was restored or deleted permanently.");
}
