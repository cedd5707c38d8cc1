import { attachmentLimits, type ChatRequest, type UploadedAttachment } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { AgentRow, ConversationRow, Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { FileStore } from "../../documents/file-store.ts";
import { invalid, notFound } from "../../errors.ts";
import { failpoint } from "../../failpoints.ts";
import { isId, newId } from "../../ids.ts";
import {
  ATTACHMENTS,
  addBytesToday,
  createDayCounter,
  dailyQuotaError,
  readBytesToday,
} from "../../plans/byte-quota.ts";
import { requireAllowedType } from "./allowed.ts";
import { cleanName } from "./clean-name.ts";
import { toAttachment } from "./message-attachment.ts";
import { inParts, type Readers, readContent } from "./read-content.ts";
import {
  createAttachmentStore,
  listNoteFiles,
  type MemberUpload,
  readConversationAttachments,
  readNoteAttachments,
} from "./store.ts";

/**
 * Whose an upload is. `conversation` is null for a visitor who has none yet, and `uploaderId` is the member or API key
 * that uploads, or null for a visitor. `address` is that of a visitor, if limits by address apply.
 */
export type Uploader = {
  agent: AgentRow;
  conversation: ConversationRow | null;
  sessionId: string | null;
  uploaderId: string | null;
  address: string | null;
};

/** The part of an organization's day that visitors can use. The rest is reserved for members. */
const VISITORS_SHARE = 0.75;

export type AttachmentService = ReturnType<typeof createAttachmentService>;

/** Stores pictures and files of the chat, and gives them to messages. */
export function createAttachmentService(
  { db, config }: Pick<Deps, "db" | "config">,
  { files, ...readers }: Readers & { files: FileStore },
) {
  const store = createAttachmentStore(db);
  const { attachmentBytesPerDay, attachmentBytesPerIp } = config.limits;
  const perAddress = createDayCounter();

  /** Counts the bytes for the address before they are stored, so that parallel uploads cannot exceed its share. */
  async function checkQuota({ agent, uploaderId, address }: Uploader, bytes: number): Promise<void> {
    const { organizationId } = agent;
    if (attachmentBytesPerDay > 0) {
      const used = await readBytesToday(db, { organizationId, subject: ATTACHMENTS });
      const share = uploaderId === null ? attachmentBytesPerDay * VISITORS_SHARE : attachmentBytesPerDay;
      if (used + bytes > share) throw dailyQuotaError("No more pictures and files can be stored today.");
    }
    if (uploaderId !== null || address === null || attachmentBytesPerIp === 0) return;
    const key = `${organizationId} ${address}`;
    if ((await perAddress.read(key)) + bytes > attachmentBytesPerIp) {
      throw dailyQuotaError("Too many pictures and files were sent from your address today.");
    }
    await perAddress.add(key, bytes);
  }

  return {
    /**
     * Stores an upload that no message has yet.
     * @throws 400 for a type that is not accepted, 403 when the agent does not allow it, 429 for the daily quota
     */
    async upload(
      uploader: Uploader,
      { name, bytes }: { name: string; bytes: Buffer },
      signal: AbortSignal,
    ): Promise<UploadedAttachment> {
      const { agent, conversation, sessionId, uploaderId } = uploader;
      const { organizationId, id: agentId } = agent;
      await checkQuota(uploader, bytes.length);
      const content = await readContent(readers, { organizationId, signal }, { name, bytes });
      if (uploaderId === null) requireAllowedType(agent, content);
      const owner = { organizationId, agentId };
      const file = await files.receive(owner, inParts(content.bytes), { charset: null, format: null });
      failpoint("attachment.received");
      const row: AttachmentRow = {
        id: newId("att"),
        ...owner,
        sessionId,
        uploaderId,
        conversationId: conversation?.id ?? null,
        messageId: null,
        noteId: null,
        position: 0,
        name: cleanName(name, content.type),
        type: content.type,
        size: content.bytes.length,
        width: content.width,
        height: content.height,
        fileId: file.id,
        text: content.text,
        createdAt: Date.now(),
      };
      await inTransaction(db, async (trx) => {
        await files.insertReceived(trx, owner, file);
        await store.insert(trx, row);
        await addBytesToday(trx, { organizationId, subject: ATTACHMENTS }, row.size);
        failpoint("attachment.committing");
      });
      failpoint("attachment.committed");
      return { ...toAttachment(row), keptSeconds: Math.floor(config.attachmentWindow / 1_000) };
    },
    /**
     * The uploads that a chat request attaches, in their order. An upload that a message has already is found only for
     * the same message, sent again with its `messageKey`.
     * @throws 404 for an upload that does not exist or is somebody else's, 400 when they are too large together
     */
    async resolve(
      agent: AgentRow,
      { attachments, sessionId }: Pick<ChatRequest, "attachments" | "sessionId">,
      {
        conversationId,
        messageKey,
        isMember,
      }: { conversationId: string | null; messageKey: string | null; isMember: boolean },
    ): Promise<AttachmentRow[]> {
      if (!attachments || attachments.length === 0) return [];
      const ids = attachments.filter((id) => isId("att", id));
      const found =
        ids.length === 0 ? [] : await store.find({ organizationId: agent.organizationId, agentId: agent.id }, ids);
      const rows = await Promise.all(
        attachments.map(async (id) => {
          const row = found.find((one) => one.id === id);
          const isOwn =
            row &&
            (row.sessionId === null ? row.conversationId === conversationId : row.sessionId === (sessionId ?? null));
          // Members try an agent out as visitors, in conversations for which they upload as members.
          if (!row || !isOwn || (row.uploaderId !== null && !isMember) || row.noteId !== null) {
            throw notFound("Attachment");
          }
          if (row.messageId === null) {
            if (row.createdAt < Date.now() - config.attachmentWindow) throw notFound("Attachment");
            return row;
          }
          if (messageKey === null || !(await store.isOfMessage(row.messageId, messageKey)))
            throw notFound("Attachment");
          return row;
        }),
      );
      checkSum(rows);
      return rows;
    },
    /**
     * The uploads that a member or an API key attaches to a message or a note, in their order.
     * @throws 404 for an upload that does not exist or is somebody else's, 400 for too many or too large ones
     */
    async resolveUploads(owner: MemberUpload, ids: readonly string[]): Promise<AttachmentRow[]> {
      if (ids.length === 0) return [];
      if (ids.length > attachmentLimits.perMessage) {
        const problem = `At most ${attachmentLimits.perMessage} can be sent with a message, found ${ids.length}`;
        throw invalid("attachments", problem, "max_items");
      }
      const valid = ids.filter((id) => isId("att", id));
      const found = valid.length === 0 ? [] : await store.findUploads(owner, valid);
      const expired = Date.now() - config.attachmentWindow;
      const rows = ids.map((id) => {
        const row = found.find((one) => one.id === id);
        if (!row || row.createdAt < expired) throw notFound("Attachment");
        return row;
      });
      checkSum(rows);
      return rows;
    },
    /** Those of a member's uploads for a conversation that no message has and that still exist, in the order of `ids`. */
    async availableUploads(owner: MemberUpload, ids: readonly string[]): Promise<AttachmentRow[]> {
      const valid = ids.slice(0, attachmentLimits.perMessage).filter((id) => isId("att", id));
      if (valid.length === 0) return [];
      const expired = Date.now() - config.attachmentWindow;
      const found = await store.findUploads(owner, valid);
      return valid.flatMap((id) => found.filter((row) => row.id === id && row.createdAt >= expired));
    },
    /**
     * Gives an upload to a message or a note, in the transaction that stores it.
     * @throws 404 when another message has it since
     */
    async attach(
      trx: Transaction<Tables>,
      id: string,
      place: { conversationId: string; position: number } & ({ messageId: string } | { noteId: string }),
    ): Promise<void> {
      if (!(await store.attach(trx, id, place))) throw notFound("Attachment");
      failpoint("attachment.attaching");
    },
    /** The attachments of a conversation's notes, by note, each in their order. */
    ofNotes: (place: { organizationId: string; conversationId: string }) => readNoteAttachments(db, place),
    /** The files of a note's attachments. */
    filesOfNote: (organizationId: string, noteId: string) => listNoteFiles(db, organizationId, noteId),
    /** All attachments of a conversation's messages, oldest first. */
    listOf: (conversationId: string) => readConversationAttachments(db, conversationId),
    /** The content of an attachment of a conversation that the caller may read. @throws 404 */
    async read(conversationId: string, id: string, reader: { isMember: boolean }): Promise<ReadAttachment> {
      const row = isId("att", id) ? await store.get(conversationId, id, reader) : undefined;
      if (!row) throw notFound("Attachment");
      return { row, content: files.read(row.fileId) };
    },
    /** The content for the holder of a signed link. @throws 404 */
    async readLinked(id: string): Promise<ReadAttachment> {
      const row = isId("att", id) ? await store.getById(id) : undefined;
      if (!row) throw notFound("Attachment");
      return { row, content: files.read(row.fileId) };
    },
    readFile: files.read,
    /** Deletes uploads that no message had within the window. @returns the number of deleted uploads */
    async deleteExpired(now: number): Promise<number> {
      for (let deleted = 0; ; ) {
        const fileIds = await store.deleteUnattached(now - config.attachmentWindow);
        for (const id of fileIds) await files.deleteFile(id);
        deleted += fileIds.length;
        if (fileIds.length === 0) return deleted;
      }
    },
  };
}

type ReadAttachment = { row: AttachmentRow; content: AsyncIterable<Buffer> };

/** @throws 400 when the attachments of a message are too large together */
function checkSum(rows: ReadonlyArray<Pick<AttachmentRow, "size">>): void {
  const bytes = rows.reduce((sum, { size }) => sum + size, 0);
  if (bytes > attachmentLimits.messageBytes) throw invalid("attachments", "can have at most 20 MB together", "max");
}
