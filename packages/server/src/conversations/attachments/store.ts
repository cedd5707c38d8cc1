import type { Transaction } from "kysely";
import { isVisible } from "../../db/deleted-agents.ts";
import type { Db } from "../../db/open.ts";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { Tables } from "../../db/tables.ts";

/** Attachments that no message has are deleted in batches of this size. */
const EXPIRED_PER_BATCH = 50;

/** The attachments of these messages, by message, each in their order. */
export async function readMessageAttachments(
  db: Db,
  conversationId: string,
  messageIds: readonly string[],
): Promise<Map<string | null, AttachmentRow[]>> {
  if (messageIds.length === 0) return new Map();
  const rows = await db
    .selectFrom("attachments")
    .selectAll()
    .where("conversationId", "=", conversationId)
    .where("messageId", "in", messageIds)
    .orderBy("position")
    .execute();
  return Map.groupBy(rows, ({ messageId }) => messageId);
}

/** The attachments of a conversation's notes, by note, each in their order. */
export async function readNoteAttachments(
  db: Db,
  { organizationId, conversationId }: Pick<AttachmentRow, "organizationId"> & { conversationId: string },
): Promise<Map<string | null, AttachmentRow[]>> {
  const rows = await db
    .selectFrom("attachments")
    .selectAll()
    .where("organizationId", "=", organizationId)
    .where("conversationId", "=", conversationId)
    .where("noteId", "is not", null)
    .orderBy("position")
    .execute();
  return Map.groupBy(rows, ({ noteId }) => noteId);
}

/** The names of the attachments of these conversations' messages, by conversation, oldest first. */
export async function readAttachmentNames(
  db: Db,
  organizationId: string,
  conversationIds: readonly string[],
): Promise<(conversationId: string) => string[]> {
  const rows =
    conversationIds.length === 0
      ? []
      : await db
          .selectFrom("attachments")
          .select(["conversationId", "name"])
          .where("organizationId", "=", organizationId)
          .where("conversationId", "in", conversationIds)
          .where("messageId", "is not", null)
          .orderBy("messageId")
          .orderBy("position")
          .execute();
  const byConversation = Map.groupBy(rows, ({ conversationId }) => conversationId);
  return (conversationId) => (byConversation.get(conversationId) ?? []).map(({ name }) => name);
}

/** The files of a note's attachments. */
export async function listNoteFiles(db: Db, organizationId: string, noteId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("attachments")
    .select("fileId")
    .where("organizationId", "=", organizationId)
    .where("noteId", "=", noteId)
    .execute();
  return rows.map(({ fileId }) => fileId);
}

/** All attachments of a conversation's messages. */
export function readConversationAttachments(db: Db, conversationId: string): Promise<AttachmentRow[]> {
  return db
    .selectFrom("attachments")
    .selectAll()
    .where("conversationId", "=", conversationId)
    .where("messageId", "is not", null)
    .orderBy("messageId")
    .orderBy("position")
    .execute();
}

/** The files of all attachments of these conversations. */
export async function listAttachedFiles(db: Db, conversationIds: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("attachments")
    .select("fileId")
    .where("conversationId", "in", conversationIds)
    .execute();
  return rows.map(({ fileId }) => fileId);
}

/** For which conversation a member or an API key has uploaded something. */
export type MemberUpload = { organizationId: string; conversationId: string; uploaderId: string };

export function createAttachmentStore(db: Db) {
  return {
    async insert(trx: Transaction<Tables>, row: AttachmentRow): Promise<void> {
      await trx.insertInto("attachments").values(row).execute();
    },
    /** Uploads of an agent, whether or not a message has them. */
    async find(
      { organizationId, agentId }: Pick<AttachmentRow, "organizationId" | "agentId">,
      ids: readonly string[],
    ): Promise<AttachmentRow[]> {
      return db
        .selectFrom("attachments")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("agentId", "=", agentId)
        .where("id", "in", ids)
        .execute();
    },
    /** An attachment of a message of the conversation, or with `isMember` of a note. */
    async get(conversationId: string, id: string, { isMember }: { isMember: boolean }) {
      return db
        .selectFrom("attachments")
        .selectAll()
        .where("id", "=", id)
        .where("conversationId", "=", conversationId)
        .where((x) => x.or([x("messageId", "is not", null), ...(isMember ? [x("noteId", "is not", null)] : [])]))
        .executeTakeFirst();
    },
    /** An attachment of a message of any conversation outside the trash, for the holder of a signed link. */
    async getById(id: string): Promise<AttachmentRow | undefined> {
      return db
        .selectFrom("attachments")
        .innerJoin("conversations", "conversations.id", "attachments.conversationId")
        .selectAll("attachments")
        .where("attachments.id", "=", id)
        .where("attachments.messageId", "is not", null)
        .where(isVisible("conversations"))
        .executeTakeFirst();
    },
    /** What a member or an API key has uploaded for the conversation, and has not attached. */
    async findUploads(
      { organizationId, conversationId, uploaderId }: MemberUpload,
      ids: readonly string[],
    ): Promise<AttachmentRow[]> {
      return db
        .selectFrom("attachments")
        .selectAll()
        .where("organizationId", "=", organizationId)
        .where("conversationId", "=", conversationId)
        .where("uploaderId", "=", uploaderId)
        .where("messageId", "is", null)
        .where("noteId", "is", null)
        .where("id", "in", ids)
        .execute();
    },
    /** Whether one of the messages with this key has the attachment. */
    async isOfMessage(messageId: string, messageKey: string): Promise<boolean> {
      const message = await db
        .selectFrom("messages")
        .select("id")
        .where("id", "=", messageId)
        .where("messageKey", "=", messageKey)
        .executeTakeFirst();
      return message !== undefined;
    },
    /** @returns false when a message or note has the attachment already, or it was deleted */
    async attach(
      trx: Transaction<Tables>,
      id: string,
      place: Pick<AttachmentRow, "conversationId" | "position"> & ({ messageId: string } | { noteId: string }),
    ): Promise<boolean> {
      const updated = await trx
        .updateTable("attachments")
        .set(place)
        .where("id", "=", id)
        .where("messageId", "is", null)
        .where("noteId", "is", null)
        .executeTakeFirst();
      return updated.numUpdatedRows === 1n;
    },
    /** Deletes uploads that no message has and that are older than `before`. @returns their files */
    async deleteUnattached(before: number): Promise<string[]> {
      const expired = db
        .selectFrom("attachments")
        .select("id")
        .where("messageId", "is", null)
        .where("noteId", "is", null)
        .where("createdAt", "<", before)
        .orderBy("createdAt")
        .limit(EXPIRED_PER_BATCH);
      const rows = await db
        .deleteFrom("attachments")
        .where("id", "in", expired)
        .where("messageId", "is", null)
        .where("noteId", "is", null)
        .returning("fileId")
        .execute();
      return rows.map(({ fileId }) => fileId);
    },
  };
}
