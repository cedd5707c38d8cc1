import type { AttachmentType } from "@foyer/contract";
import type { Instant } from "./column-types.ts";

/** The tables of pictures and files in the chat, as Kysely sees them. */
export type AttachmentTables = { attachments: AttachmentRow };

export type AttachmentRow = {
  id: string;
  organizationId: string;
  agentId: string;
  /** the session that uploaded it; null for an upload with a conversation's token */
  sessionId: string | null;
  /** the member or API key that uploaded it, see `credentialId`; null for a visitor */
  uploaderId: string | null;
  /** the conversation for which it was uploaded, or that has its message */
  conversationId: string | null;
  /** null until a message has it */
  messageId: string | null;
  /** the internal note that has it */
  noteId: string | null;
  /** its place among the attachments of the message or note, from 0 */
  position: number;
  name: string;
  type: AttachmentType;
  size: number;
  width: number | null;
  height: number | null;
  /** the content, see documents/file-store.ts */
  fileId: string;
  /** the beginning of the text of a file; null for a picture, or a file without text */
  text: string | null;
  createdAt: Instant;
};
