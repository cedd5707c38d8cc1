import {
  attachmentLimits,
  handoffLimits,
  type MessageDraft,
  type MessageDraftMode,
  type ReplyActions,
} from "@foyer/contract";
import { toAttachment } from "../../conversations/attachments/message-attachment.ts";
import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { ConversationService } from "../../conversations/service.ts";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { MessageDraftRow } from "../../db/tables/inbox.ts";
import type { Deps } from "../../deps.ts";
import { invalid, notFound } from "../../errors.ts";
import { createDraftStore, type DraftOwner } from "./store.ts";

type Draft = { text: string; attachments: readonly string[]; actions: ReplyActions | null };

/** Who writes. `uploaderId` is the name under which the member uploads attachments. */
type Writer = { organizationId: string; userId: string; uploaderId: string };

export type DraftService = ReturnType<typeof createDraftService>;

/** Keeps what members have written in conversations and not sent, so that they can continue on another device. */
export function createDraftService(
  { db }: Pick<Deps, "db">,
  parts: {
    conversations: Pick<ConversationService, "existing">;
    attachments: Pick<AttachmentService, "availableUploads">;
  },
) {
  const store = createDraftStore(db);

  async function ownerOf({ organizationId, userId }: Writer, conversationId: string): Promise<DraftOwner> {
    const { id } = await parts.conversations.existing({ organizationId }, conversationId);
    return { organizationId, userId, conversationId: id };
  }

  const uploadsOf = ({ organizationId, uploaderId }: Writer, conversationId: string, ids: readonly string[]) =>
    parts.attachments.availableUploads({ organizationId, conversationId, uploaderId }, ids);

  return {
    /** @throws 404 when the conversation does not exist */
    async list(writer: Writer, conversationId: string): Promise<MessageDraft[]> {
      const rows = await store.list(await ownerOf(writer, conversationId));
      return Promise.all(
        rows.map(async (row) =>
          toDraft(row, await uploadsOf(writer, row.conversationId, JSON.parse(row.attachmentIds))),
        ),
      );
    },
    /**
     * Replaces the draft. An empty one is deleted, which returns null.
     * @throws 400 for too many attachments, and for a note that is too long or has actions, 404 when the conversation does not exist
     */
    async put(
      writer: Writer,
      conversationId: string,
      { mode, text, attachments, actions }: Draft & { mode: MessageDraftMode },
    ): Promise<MessageDraft | null> {
      if (mode === "note" && text.length > handoffLimits.note) {
        throw invalid("text", `must have at most ${handoffLimits.note} characters in a note`, "max_length");
      }
      if (mode === "note" && actions) throw invalid("actions", "can only be set for a reply");
      if (attachments.length > attachmentLimits.perMessage) {
        const problem = `must be at most ${attachmentLimits.perMessage}, found ${attachments.length}`;
        throw invalid("attachments", problem, "max_items");
      }
      const owner = await ownerOf(writer, conversationId);
      const uploads = await uploadsOf(writer, owner.conversationId, attachments);
      if (text === "" && uploads.length === 0) {
        await store.delete(owner, mode);
        return null;
      }
      const row: MessageDraftRow = {
        ...owner,
        mode,
        text,
        attachmentIds: JSON.stringify(uploads.map(({ id }) => id)),
        actions: actions && JSON.stringify(actions),
        updatedAt: Date.now(),
      };
      if (!(await store.put(row))) throw notFound("Conversation");
      return toDraft(row, uploads);
    },
  };
}

function toDraft(
  { mode, text, actions, updatedAt }: MessageDraftRow,
  attachments: readonly AttachmentRow[],
): MessageDraft {
  return {
    mode,
    text,
    attachments: attachments.map(toAttachment),
    actions: actions === null ? null : JSON.parse(actions),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}
