import { parseAttachmentSettings } from "../../agents/attachment-settings.ts";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { AgentRow, ConversationRow } from "../../db/tables.ts";
import { AppError } from "../../errors.ts";

/** @throws 403 when visitors of the agent cannot attach anything in the conversation now */
export function requireAllowed(agent: AgentRow, conversation: Pick<ConversationRow, "handler"> | null): void {
  const { images, files, handoffOnly } = parseAttachmentSettings(agent);
  if (!images && !files) throw new AppError("FORBIDDEN", "This agent accepts no pictures and files.");
  if (handoffOnly && (conversation === null || conversation.handler === "agent")) {
    throw new AppError(
      "FORBIDDEN",
      "This agent accepts pictures and files only while the visitor waits for a person or talks to one.",
    );
  }
}

/** @throws 403 when visitors of the agent cannot attach a picture, or a file of another type */
export function requireAllowedType(agent: AgentRow, { width }: Pick<AttachmentRow, "width">): void {
  const { images, files } = parseAttachmentSettings(agent);
  const isPicture = width !== null;
  if (isPicture ? images : files) return;
  throw new AppError("FORBIDDEN", `This agent does not accept ${isPicture ? "pictures" : "files"}.`);
}
