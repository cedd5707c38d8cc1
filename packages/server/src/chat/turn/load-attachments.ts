import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { NewTurn } from "../../conversations/log/turn.ts";
import { AppError } from "../../errors.ts";
import { createRateLimit } from "../../plans/rate-limit.ts";
import { chooseAttachments, type SentAttachment } from "./attachment-parts.ts";

type NewMessages = ReadonlyArray<Pick<NewTurn["messages"][number], "id" | "attachments">>;

export type AttachmentLoader = ReturnType<typeof createAttachmentLoader>;

type Parts = Pick<AttachmentService, "listOf" | "readFile">;

const BYTES_PER_POINT = 1_024;

/**
 * @param bytesPerMinute the bytes that the messages of one IP address may make the server send within a minute
 * @returns a function that chooses what a model receives of the attachments of a conversation and of new messages
 */
export function createAttachmentLoader({ listOf, readFile }: Parts, bytesPerMinute: number) {
  const perAddress = createRateLimit(Math.ceil(bytesPerMinute / BYTES_PER_POINT), "pictures");
  return async (
    conversationId: string | null,
    newMessages: NewMessages,
    address: string | null,
  ): Promise<SentAttachment[]> => {
    const stored = conversationId === null ? [] : await listOf(conversationId);
    const earlier = stored.flatMap((row) => (row.messageId === null ? [] : [{ messageId: row.messageId, row }]));
    const added = newMessages.flatMap(({ id, attachments }) => attachments.map((row) => ({ messageId: id, row })));
    return chooseAttachments([...earlier, ...added], {
      address,
      readContent: readFile,
      mayBeSent: (bytes) =>
        perAddress.consume(address, undefined, Math.ceil(bytes / BYTES_PER_POINT)).then(
          () => true,
          (error: unknown) => {
            if (error instanceof AppError) return false;
            throw error;
          },
        ),
    });
  };
}

/** @returns a function that chooses what a model received of the attachments of these messages, when no later ones existed */
export function createRecordedAttachments({ listOf, readFile }: Parts) {
  return async (conversationId: string, messageIds: ReadonlySet<string>): Promise<SentAttachment[]> => {
    const rows = await listOf(conversationId);
    const recorded = rows.flatMap((row) =>
      row.messageId !== null && messageIds.has(row.messageId) ? [{ messageId: row.messageId, row }] : [],
    );
    return chooseAttachments(recorded, { address: null, readContent: readFile, mayBeSent: async () => true });
  };
}
