import { type ConversationTag, maxConversationTags, maxTags, type Tag } from "@foyer/contract";
import { tagKey, toTagName } from "@foyer/contract/rules/tag-name";
import type { Transaction } from "kysely";
import { isDuplicate } from "../../db/database-errors.ts";
import type { TagRow } from "../../db/tables/notes.ts";
import type { Tables } from "../../db/tables.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import type { ConversationRef, ConversationRefs } from "../log/change.ts";
import { compareByName, createTagStore, readConversationTags } from "./store.ts";

/** Finds a conversation of the organization. `existing` throws 404 when there is none. */
type Conversations = { existing(viewer: { organizationId: string }, id: string): Promise<{ id: string }> };

export type TagService = ReturnType<typeof createTagService>;

/** Manages the tags of an organization. Only members and API keys see them. */
export function createTagService(deps: Pick<Deps, "db" | "databaseKind">, conversations: Conversations) {
  const { db } = deps;
  const store = createTagStore(deps);

  async function listTags(organizationId: string, conversationId: string): Promise<ConversationTag[]> {
    const conversation = { id: conversationId };
    return (await readConversationTags(db, organizationId, [conversation]))(conversation);
  }

  async function addTag(conversationRefs: ConversationRefs, name: string) {
    const { organizationId } = conversationRefs;
    const tag: TagRow = { id: newId("tag"), organizationId, ...normalizeName(name), createdAt: Date.now() };
    const outcomes = await store.add(conversationRefs, tag);
    if (![...outcomes.values()].includes("organization full")) return outcomes;
    throw new AppError(
      "CONFLICT",
      `Your organization has ${maxTags} tags. Use one of them, or delete one before you create another.`,
    );
  }

  return {
    async list(organizationId: string): Promise<Tag[]> {
      return (await store.list(organizationId)).sort(compareByName).map(toTag);
    },
    /** @throws 404 when there is no such tag, 409 when another one has the name */
    async rename(organizationId: string, id: string, name: string): Promise<Tag> {
      const names = normalizeName(name);
      const row = isId("tag", id) ? await renameTag(organizationId, id, names) : undefined;
      if (!row) throw notFound("Tag");
      return toTag(row);
    },
    async delete(organizationId: string, id: string): Promise<void> {
      if (!isId("tag", id) || !(await store.delete(organizationId, id))) throw notFound("Tag");
    },
    /** @throws 404 when the conversation does not exist, 409 when it or the organization has too many tags */
    async add(organizationId: string, conversationId: string, name: string): Promise<ConversationTag[]> {
      const { id } = await conversations.existing({ organizationId }, conversationId);
      const outcome = (await addTag({ organizationId, conversationIds: [id] }, name)).get(id);
      if (outcome === undefined) throw notFound("Conversation");
      if (outcome === "conversation full") throw fullError();
      return listTags(organizationId, id);
    },
    /**
     * Adds a tag to several conversations with the same statements.
     * @returns the ids of those that did not have it and were not full. @throws 409 when the organization has too many
     */
    async addToAll(conversationRefs: ConversationRefs, name: string): Promise<ReadonlySet<string>> {
      const outcomes = await addTag(conversationRefs, name);
      return new Set([...outcomes].flatMap(([id, outcome]) => (outcome === "added" ? [id] : [])));
    },
    /**
     * Adds existing tags in the transaction of a caller that has locked the conversation.
     * @throws 400 at `path` for a tag that does not exist, 409 when the conversation has too many tags
     */
    async addExisting(
      trx: Transaction<Tables>,
      { tagIds, path, ...conversation }: ConversationRef & { tagIds: readonly string[]; path: string },
    ): Promise<void> {
      if (tagIds.length === 0) return;
      const { missing, isFull } = await store.addExisting(trx, conversation, tagIds);
      const [id] = missing;
      if (id !== undefined) {
        throw invalid(`${path}.${tagIds.indexOf(id)}`, "names a tag that does not exist", "unknown_reference");
      }
      if (isFull) throw fullError();
    },
    /** @throws 404 when the conversation does not exist or does not have the tag */
    async remove(organizationId: string, conversationId: string, tagId: string): Promise<ConversationTag[]> {
      const { id } = await conversations.existing({ organizationId }, conversationId);
      if (!isId("tag", tagId) || !(await store.remove({ organizationId, conversationId: id }, tagId))) {
        throw notFound("Tag");
      }
      return listTags(organizationId, id);
    },
  };

  async function renameTag(organizationId: string, id: string, names: Pick<TagRow, "name" | "nameKey">) {
    try {
      return await store.rename(organizationId, id, names);
    } catch (error) {
      if (!isDuplicate(error)) throw error;
      throw new AppError("CONFLICT", `Your organization already has a tag with the name ${names.name}.`);
    }
  }
}

function fullError(): AppError {
  return new AppError(
    "CONFLICT",
    `This conversation has ${maxConversationTags} tags. Remove one before you add another.`,
  );
}

/** Returns the name as it is shown, and the key by which names are compared. */
function normalizeName(written: string): Pick<TagRow, "name" | "nameKey"> {
  const name = toTagName(written);
  if (name === "") throw invalid("name", "must contain visible characters");
  return { name, nameKey: tagKey(name) };
}

function toTag({ id, name, createdAt }: TagRow): Tag {
  return { id, name, createdAt: new Date(createdAt).toISOString() };
}
