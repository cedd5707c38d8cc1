import { attachmentLimits } from "@foyer/contract";
import type { AgentService } from "../../agents/service.ts";
import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { ConversationService } from "../../conversations/service.ts";
import { AppError } from "../../errors.ts";
import { type IncomingFile, TeamChatError } from "./team-chat.ts";

/** The time for downloading and storing the files of one message. */
const RECEIVE_MS = 60_000;

type Parts = {
  agents: Pick<AgentService, "getPublic">;
  conversations: Pick<ConversationService, "existing">;
  attachments: Pick<AttachmentService, "upload">;
};

export type FileReceiver = ReturnType<typeof createFileReceiver>;

/**
 * @returns a function that stores the files of a message as uploads, and returns their ids. It throws an AppError for
 * what cannot be attached.
 */
export function createFileReceiver({ agents, conversations, attachments }: Parts) {
  return async (
    { organizationId, conversationId, uploaderId }: Record<"organizationId" | "conversationId" | "uploaderId", string>,
    files: readonly IncomingFile[],
  ): Promise<string[]> => {
    if (files.length === 0) return [];
    if (files.length > attachmentLimits.perMessage) {
      throw new AppError("VALIDATION_ERROR", `A message can have at most ${attachmentLimits.perMessage} files.`);
    }
    const conversation = await conversations.existing({ organizationId }, conversationId);
    const agent = await agents.getPublic(conversation.agentId);
    const signal = AbortSignal.timeout(RECEIVE_MS);
    const ids: string[] = [];
    for (const { name, read } of files) {
      const bytes = await read(signal).catch((error: unknown) => {
        if (!(error instanceof TeamChatError) || error.problem === "unavailable") throw error;
        throw new AppError("UNSUPPORTED_ATTACHMENT", error.message);
      });
      const uploader = { agent, conversation, sessionId: null, uploaderId, address: null };
      ids.push((await attachments.upload(uploader, { name, bytes }, signal)).id);
    }
    return ids;
  };
}
