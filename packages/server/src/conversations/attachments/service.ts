import { type Attachment, attachmentLimits, type ChatRequest } from "@foyer/contract";
import type { Transaction } from "kysely";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { AgentRow, ConversationRow, Tables } from "../../db/tables.ts";
import { inTransaction } from "../../db/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { Extractor } from "../../documents/extract/extractor.ts";
import type { FileStore } from "../../documents/file-store.ts";
import { invalid, notFound } from "../../errors.ts";
import { failpoint } from "../../failpoints.ts";
import { isId, newId } from "../../ids.ts";
import { ATTACHMENTS, addBytesToday, dailyQuotaError, readBytesToday } from "../../plans/byte-quota.ts";
import { requireAllowedType } from "./allowed.ts";
import { cleanName } from "./clean-name.ts";
import { toAttachment } from "./message-attachment.ts";
import { readContent } from "./read-content.ts";
import { createAttachmentStore, readConversationAttachments } from "./store.ts";

/** Whose an upload is. `conversation` is null for a visitor who has none yet. */
export type Uploader = {
  agent: AgentRow;
  conversation: ConversationRow | null;
  sessionId: string | null;
};

export type AttachmentService = ReturnType<typeof createAttachmentService>;

/** Stores pictures and files of the chat, and gives them to messages. */
export function createAttachmentService(
  { db, config }: Pick<Deps, "db" | "config">,
  { extractor, files }: { extractor: Pick<Extractor, "extract">; files: FileStore },
) {
  const store = createAttachmentStore(db);
  const { attachmentBytesPerDay } = config.limits;

  async function checkQuota({ organizationId }: AgentRow, bytes: number): Promise<void> {
    if (attachmentBytesPerDay === 0) return;
    const used = await readBytesToday(db, { organizationId, subject: ATTACHMENTS });
    if (used + bytes > attachmentBytesPerDay) throw dailyQuotaError("No more pictures and files can be stored today.");
  }

  return {
    /**
     * Stores an upload that no message has yet.
     * @throws 400 for a type that is not accepted, 403 when the agent does not allow it, 429 for the daily quota
     */
    async upload(
      { agent, conversation, sessionId }: Uploader,
      { name, bytes }: { name: string; bytes: Buffer },
      signal: AbortSignal,
    ): Promise<Attachment> {
      const { organizationId, id: agentId } = agent;
      await checkQuota(agent, bytes.length);
      const content = await readContent(extractor, { organizationId, signal }, { name, bytes });
      requireAllowedType(agent, content);
      const owner = { organizationId, agentId };
      const file = await files.receive(owner, [content.bytes], { charset: null, format: null });
      failpoint("attachment.received");
      const row: AttachmentRow = {
        id: newId("att"),
        ...owner,
        sessionId,
        conversationId: conversation?.id ?? null,
        messageId: null,
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
      return toAttachment(row);
    },
    /**
     * The uploads that a chat request attaches, in their order. An upload that a message has already is found only for
     * the same message, sent again with its `messageKey`.
     * @throws 404 for an upload that does not exist or is somebody else's, 400 when they are too large together
     */
    async resolve(
      agent: AgentRow,
      { attachments, sessionId }: Pick<ChatRequest, "attachments" | "sessionId">,
      { conversationId, messageKey }: { conversationId: string | null; messageKey: string | null },
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
          if (!row || !isOwn) throw notFound("Attachment");
          if (row.messageId === null) {
            if (row.createdAt < Date.now() - config.attachmentWindow) throw notFound("Attachment");
            return row;
          }
          if (messageKey === null || !(await store.isOfMessage(row.messageId, messageKey)))
            throw notFound("Attachment");
          return row;
        }),
      );
      const bytes = rows.reduce((sum, { size }) => sum + size, 0);
      if (bytes > attachmentLimits.messageBytes) {
        throw invalid("attachments", "can have at most 20 MB together", "max");
      }
      return rows;
    },
    /** Gives an upload to a message, in the transaction that stores it. @throws 404 when another message has it since */
    async attach(
      trx: Transaction<Tables>,
      id: string,
      place: { conversationId: string; messageId: string; position: number },
    ): Promise<void> {
      if (!(await store.attach(trx, id, place))) throw notFound("Attachment");
      failpoint("attachment.attaching");
    },
    /** All attachments of a conversation's messages, oldest first. */
    listOf: (conversationId: string) => readConversationAttachments(db, conversationId),
    /** The content of an attachment of a conversation that the caller may read. @throws 404 */
    async read(conversationId: string, id: string): Promise<{ row: AttachmentRow; content: AsyncIterable<Buffer> }> {
      const row = isId("att", id) ? await store.get(conversationId, id) : undefined;
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
