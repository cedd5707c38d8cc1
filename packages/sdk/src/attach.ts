import type { UploadedAttachment } from "@foyer/contract";
import type { ConversationKey } from "./chat-stream.ts";
import type { Request } from "./request.ts";
import { read } from "./visitor-calls.ts";

/**
 * Whose an upload is: a session that has no conversation yet, or a conversation with its token. Members and API keys
 * upload for a conversation by its id.
 */
export type AttachmentOwner =
  | { agentId: string; sessionId: string }
  | { agentId: string; conversation: ConversationKey }
  | { conversationId: string };

/** Uploads a picture or a file. `name` defaults to that of a `File`. */
export async function attach(
  request: Request,
  file: Blob,
  { name, signal, ...owner }: AttachmentOwner & { name?: string; signal?: AbortSignal },
): Promise<UploadedAttachment> {
  const conversation = "conversation" in owner ? owner.conversation : null;
  const { agentId, ...place } =
    "conversation" in owner
      ? { agentId: owner.agentId, conversationId: owner.conversation.id }
      : { agentId: "", ...owner };
  const query = new URLSearchParams(agentId ? { agentId, ...place } : place);
  const fileName = name ?? ("name" in file && typeof file.name === "string" ? file.name : "");
  return (
    await read(
      request(`/chat/attachments?${query}`, {
        method: "POST",
        body: file,
        // A header cannot contain every character of a name.
        headers: { "x-filename": encodeURIComponent(fileName.replace(/\p{Surrogate}/gu, "\ufffd")) },
        token: conversation?.token,
        signal,
      }),
    )
  ).data;
}
