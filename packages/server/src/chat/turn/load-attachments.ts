import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { NewTurn } from "../../conversations/log/turn.ts";
import { loadAttachments, type SentAttachment } from "./attachment-parts.ts";

type NewMessages = ReadonlyArray<Pick<NewTurn["messages"][number], "id" | "attachments">>;

export type AttachmentLoader = ReturnType<typeof createAttachmentLoader>;

/** @returns a function that loads what a model receives of the attachments of a conversation and of new messages */
export function createAttachmentLoader({ listOf, readFile }: Pick<AttachmentService, "listOf" | "readFile">) {
  return async (conversationId: string | null, newMessages: NewMessages = []): Promise<SentAttachment[]> => {
    const stored = conversationId === null ? [] : await listOf(conversationId);
    const earlier = stored.flatMap((row) => (row.messageId === null ? [] : [{ messageId: row.messageId, row }]));
    const added = newMessages.flatMap(({ id, attachments }) => attachments.map((row) => ({ messageId: id, row })));
    return loadAttachments([...earlier, ...added], readFile);
  };
}
