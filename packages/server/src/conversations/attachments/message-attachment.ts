import type { Attachment, MessageAttachment } from "@foyer/contract";
import type { AttachmentRow } from "../../db/tables/attachments.ts";

/** An upload that no message has yet. */
export function toAttachment({ id, name, type, size, width, height }: AttachmentRow): Attachment {
  return { id, name, type, size, width, height };
}

/** An attachment as it is shown with its message. */
export function toMessageAttachment(row: AttachmentRow): MessageAttachment {
  return { ...toAttachment(row), url: `/conversations/${row.conversationId}/attachments/${row.id}` };
}
