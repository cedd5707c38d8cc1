import { type ConversationTag, maxConversationTags, maxTags } from "@foyer/contract";
import type { Transaction } from "kysely";
import { isDuplicate, isMissingReference } from "../../db/database-errors.ts";
import type { DatabaseKind } from "../../db/database-kind.ts";
import { lockRow } from "../../db/lock-row.ts";
import type { Db } from "../../db/open.ts";
import type { TagRow } from "../../db/tables/notes.ts";
import type { Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { ConversationRefs } from "../log/change.ts";
import { lockConversation, lockConversations, touchConversation, touchConversations } from "../log/marks.ts";

/** The number of conversations from which one statement removes a deleted tag, which takes a few milliseconds. */
const REMOVED_AT_ONCE = 1_000;

type Conversation = { organizationId: string; conversationId: string };
type Addition = "added" | "present" | "conversation full" | "organization full";

export function createTagStore({ db, databaseKind }: Pick<Deps, "db" | "databaseKind">) {
  return {
    /** Returns the tags in no particular order. The service sorts them by name. */
    async list(organizationId: string): Promise<TagRow[]> {
      return db.selectFrom("tags").selectAll().where("organizationId", "=", organizationId).limit(maxTags).execute();
    },
    /** @returns undefined when the organization has no such tag. @throws when another tag has the name */
    async rename(
      organizationId: string,
      id: string,
      names: Pick<TagRow, "name" | "nameKey">,
    ): Promise<TagRow | undefined> {
      return db
        .updateTable("tags")
        .set(names)
        .where("id", "=", id)
        .where("organizationId", "=", organizationId)
        .returningAll()
        .executeTakeFirst();
    },
    /**
     * Deletes the tag. It is first removed from its conversations, in several transactions, so that other writers do
     * not have to wait.
     */
    async delete(organizationId: string, id: string): Promise<boolean> {
      const removeSome = (trx: Transaction<Tables>) =>
        trx
          .deleteFrom("conversationTags")
          .where("organizationId", "=", organizationId)
          .where("tagId", "=", id)
          .where("conversationId", "in", (part) =>
            part
              .selectFrom("conversationTags as some")
              .select("some.conversationId")
              .where("some.organizationId", "=", organizationId)
              .where("some.tagId", "=", id)
              .limit(REMOVED_AT_ONCE),
          )
          .executeTakeFirst();
      // Repeat until nothing is deleted. A part can be smaller than the maximum although others remain, if another
      // request removes the tag at the same time.
      while ((await inTransaction(db, removeSome)).numDeletedRows > 0n);
      const deletion = db.deleteFrom("tags").where("id", "=", id).where("organizationId", "=", organizationId);
      return (await deletion.executeTakeFirst()).numDeletedRows > 0n;
    },
    /**
     * Adds the tag with this name. If the organization has no such tag, creates it with the given id.
     * @returns what became of each conversation that exists
     */
    async add(conversations: ConversationRefs, tag: TagRow): Promise<ReadonlyMap<string, Addition>> {
      const attempt = () => inTransaction(db, (trx) => addToAll(trx, databaseKind, { ...conversations, tag }));
      return attempt().catch((error: unknown) => {
        // Another request has just deleted the tag or given its name to another tag.
        if (isMissingReference(error) || isDuplicate(error)) return attempt();
        throw error;
      });
    },
    addExisting,
    /** @returns false when the conversation does not have the tag */
    async remove(conversation: Conversation, tagId: string): Promise<boolean> {
      return inTransaction(db, async (trx) => {
        // Lock the conversation first, as an addition does, to prevent a deadlock.
        if (!(await lockConversation(trx, conversation))) return false;
        const result = await trx
          .deleteFrom("conversationTags")
          .where("organizationId", "=", conversation.organizationId)
          .where("conversationId", "=", conversation.conversationId)
          .where("tagId", "=", tagId)
          .executeTakeFirst();
        if (result.numDeletedRows === 0n) return false;
        await touchConversation(trx, conversation, Date.now());
        return true;
      });
    },
  };
}

/** @returns what became of each conversation that exists */
async function addToAll(
  trx: Transaction<Tables>,
  databaseKind: DatabaseKind,
  { organizationId, conversationIds, tag }: ConversationRefs & { tag: TagRow },
): Promise<Map<string, Addition>> {
  // Two requests must not both use the last free slot.
  const ids = await lockConversations(trx, databaseKind, { organizationId, conversationIds });
  if (ids.length === 0) return new Map();
  const rows = await trx
    .selectFrom("conversationTags")
    .innerJoin("tags", "tags.id", "conversationTags.tagId")
    .select(["conversationTags.conversationId", "tags.nameKey"])
    .where("conversationTags.organizationId", "=", organizationId)
    .where("conversationTags.conversationId", "in", ids)
    .execute();
  const present = Map.groupBy(rows, ({ conversationId }) => conversationId);
  const outcomes = new Map(ids.map((id) => [id, findRoom(present.get(id) ?? [], tag)]));
  const added = ids.filter((id) => outcomes.get(id) === "added");
  if (added.length === 0) return outcomes;
  const tagId = (await findId(trx, tag)) ?? (await create(trx, tag));
  if (tagId === null) {
    for (const id of added) outcomes.set(id, "organization full");
    return outcomes;
  }
  const values = added.map((conversationId) => ({ organizationId, conversationId, tagId }));
  await trx.insertInto("conversationTags").values(values).execute();
  await touchConversations(trx, { organizationId, conversationIds: added }, tag.createdAt);
  return outcomes;
}

function findRoom(present: ReadonlyArray<Pick<TagRow, "nameKey">>, tag: TagRow): Addition {
  if (present.some(({ nameKey }) => nameKey === tag.nameKey)) return "present";
  return present.length >= maxConversationTags ? "conversation full" : "added";
}

/**
 * Adds existing tags in the transaction of a caller that has locked the conversation. The tags stay locked until it
 * ends, so that none can be deleted in the meantime.
 * @returns the ids of tags that do not exist, or that the conversation is full
 */
async function addExisting(
  trx: Transaction<Tables>,
  { organizationId, conversationId }: Conversation,
  tagIds: readonly string[],
): Promise<{ missing: string[]; isFull: boolean }> {
  const locked = await trx
    .updateTable("tags")
    .set((x) => ({ createdAt: x.ref("createdAt") }))
    .where("organizationId", "=", organizationId)
    .where("id", "in", tagIds)
    .returning("id")
    .execute();
  const found = new Set(locked.map(({ id }) => id));
  const missing = tagIds.filter((id) => !found.has(id));
  if (missing.length > 0) return { missing, isFull: false };
  const rows = await trx
    .selectFrom("conversationTags")
    .select("tagId")
    .where("organizationId", "=", organizationId)
    .where("conversationId", "=", conversationId)
    .execute();
  const present = new Set(rows.map(({ tagId }) => tagId));
  const added = tagIds.filter((id) => !present.has(id));
  if (present.size + added.length > maxConversationTags) return { missing, isFull: true };
  if (added.length > 0) {
    const values = added.map((tagId) => ({ organizationId, conversationId, tagId }));
    await trx.insertInto("conversationTags").values(values).execute();
  }
  return { missing, isFull: false };
}

async function findId(trx: Transaction<Tables>, { organizationId, nameKey }: TagRow): Promise<string | undefined> {
  const tag = trx.selectFrom("tags").select("id").where("organizationId", "=", organizationId);
  return (await tag.where("nameKey", "=", nameKey).executeTakeFirst())?.id;
}

/**
 * Creates the tag. Locks the organization, so that two requests can neither create the same tag nor both use the last
 * free slot.
 * @returns its id, or the id of the tag that another request has just created; null when the organization has `maxTags`
 */
async function create(trx: Transaction<Tables>, tag: TagRow): Promise<string | null> {
  await lockRow(trx, "organizations", tag.organizationId);
  const existing = await findId(trx, tag);
  if (existing !== undefined) return existing;
  const owned = trx.selectFrom("tags").select("id").where("organizationId", "=", tag.organizationId);
  if ((await owned.limit(maxTags).execute()).length >= maxTags) return null;
  await trx.insertInto("tags").values(tag).execute();
  return tag.id;
}

/**
 * Reads the tags of conversations with one query.
 * @returns a function that looks up the tags of one of them, by name
 */
export async function readConversationTags(
  db: Db,
  organizationId: string,
  conversations: ReadonlyArray<{ id: string }>,
): Promise<(conversation: { id: string }) => ConversationTag[]> {
  const rows =
    conversations.length === 0
      ? []
      : await db
          .selectFrom("conversationTags")
          .innerJoin("tags", "tags.id", "conversationTags.tagId")
          .select(["conversationTags.conversationId", "tags.id", "tags.name"])
          .where("conversationTags.organizationId", "=", organizationId)
          .where(
            "conversationTags.conversationId",
            "in",
            conversations.map(({ id }) => id),
          )
          .execute();
  const byConversation = Map.groupBy(rows.toSorted(compareByName), ({ conversationId }) => conversationId);
  return (conversation) => (byConversation.get(conversation.id) ?? []).map(({ id, name }) => ({ id, name }));
}

const { compare } = new Intl.Collator("en", { numeric: true });

/** Orders tags by name, regardless of case. */
export function compareByName(a: { name: string }, b: { name: string }): number {
  return compare(a.name, b.name);
}
