import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { NewTurn } from "../../conversations/log/turn.ts";
import { loadAttachments, type SentAttachment } from "./attachment-parts.ts";

type NewMessages = ReadonlyArray<Pick<NewTurn["messages"][number], "id" | "attachments">>;

export type AttachmentLoader = ReturnType<typeof createAttachmentLoader>;

type Parts = Pick<AttachmentService, "listOf" | "readFile">;

/** @returns a function that loads what a model receives of the attachments of a conversation and of new messages */
export function createAttachmentLoader({ listOf, readFile }: Parts) {
  return async (conversationId: string | null, newMessages: NewMessages = []): Promise<SentAttachment[]> => {
    const stored = conversationId === null ? [] : await listOf(conversationId);
    const earlier = stored.flatMap((row) => (row.messageId === null ? [] : [{ messageId: row.messageId, row }]));
    const added = newMessages.flatMap(({ id, attachments }) => attachments.map((row) => ({ messageId: id, row })));
    return loadAttachments([...earlier, ...added], readFile);
  };
}

/** @returns a function that loads what a model received of the attachments of these messages, when no later ones existed */
export function createRecordedAttachments({ listOf, readFile }: Parts) {
  return async (conversationId: string, messageIds: ReadonlySet<string>): Promise<SentAttachment[]> => {
    const rows = await listOf(conversationId);
    const recorded = rows.flatMap((row) =>
      row.messageId !== null && messageIds.has(row.messageId) ? [{ messageId: row.messageId, row }] : [],
    );
    return loadAttachments(recorded, readFile);
  };
}
