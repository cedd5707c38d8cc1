import { type ConversationNote, maxNotes } from "@foyer/contract";
import { toInitials } from "@foyer/contract/rules/initials";
import { toMessageAttachment } from "../../conversations/attachments/message-attachment.ts";
import type { AttachmentService } from "../../conversations/attachments/service.ts";
import type { ConversationService } from "../../conversations/service.ts";
import type { AttachmentRow } from "../../db/tables/attachments.ts";
import type { ConversationNoteRow } from "../../db/tables/notes.ts";
import type { Deps } from "../../deps.ts";
import { deleteOriginalsById } from "../../documents/retention.ts";
import { AppError, notFound } from "../../errors.ts";
import type { SaveResponse } from "../../http/idempotency.ts";
import { isId, newId } from "../../ids.ts";
import { deleteDraft } from "../drafts/store.ts";
import { type AnnounceMentions, type Mention, readMentions } from "./mentions.ts";
import { createNoteStore } from "./store.ts";

/** The author of a note: a member, or an API key, which has no user id. */
export type NoteAuthor = { userId: string | null; name: string };

/** A note to add. `attachments` are the ids of the author's uploads. */
type NewNote = {
  author: NoteAuthor;
  text: string;
  attachments: { ids: readonly string[]; uploaderId: string };
  keep: SaveResponse | undefined;
};

export type NoteService = ReturnType<typeof createNoteService>;

/** Manages the internal notes of conversations, which only members and API keys can read. */
export function createNoteService(
  { db }: Pick<Deps, "db">,
  {
    conversations,
    attachments: uploads,
    announceMentions,
  }: {
    conversations: Pick<ConversationService, "existing">;
    attachments: Pick<AttachmentService, "resolveUploads" | "attach" | "ofNotes" | "filesOfNote">;
    announceMentions: AnnounceMentions;
  },
) {
  const store = createNoteStore(db);
  return {
    async list(organizationId: string, conversationId: string): Promise<ConversationNote[]> {
      const { id } = await conversations.existing({ organizationId }, conversationId);
      const rows = await store.list(organizationId, id);
      const attachments = await uploads.ofNotes({ organizationId, conversationId: id });
      return rows.map((row) => toNote(row, attachments.get(row.id) ?? []));
    },
    /** @throws 404 when the conversation does not exist, 409 when it has too many notes */
    async create(
      organizationId: string,
      conversationId: string,
      { author, text, attachments, keep }: NewNote,
    ): Promise<ConversationNote> {
      const { id, agentId } = await conversations.existing({ organizationId }, conversationId);
      const row: ConversationNoteRow = {
        id: newId("note"),
        organizationId,
        conversationId: id,
        authorId: author.userId,
        authorName: author.name,
        text: text.trim(),
        mentions: JSON.stringify(await readMentions(db, organizationId, text)),
        createdAt: Date.now(),
      };
      const { ids, uploaderId } = attachments;
      const attached = await uploads.resolveUploads({ organizationId, conversationId: id, uploaderId }, ids);
      const note = toNote(row, attached);
      const outcome = await store.insert(row, async (trx) => {
        for (const [position, upload] of attached.entries()) {
          await uploads.attach(trx, upload.id, { conversationId: id, noteId: row.id, position });
        }
        if (author.userId !== null) {
          await deleteDraft(trx, { organizationId, conversationId: id, userId: author.userId }, "note");
        }
        const mentioned = note.mentions.flatMap(({ userId }) => (userId && userId !== author.userId ? [userId] : []));
        if (mentioned.length > 0) await announceMentions(trx, row, mentioned);
        await keep?.(trx, agentId, note);
      });
      if (outcome === "no conversation") throw notFound("Conversation");
      if (outcome === "full") {
        throw new AppError("CONFLICT", `This conversation has ${maxNotes} notes. Delete one before you add another.`);
      }
      return note;
    },
    async delete(organizationId: string, conversationId: string, noteId: string): Promise<void> {
      const { id } = await conversations.existing({ organizationId }, conversationId);
      const files = isId("note", noteId) ? await uploads.filesOfNote(organizationId, noteId) : [];
      if (!isId("note", noteId) || !(await store.delete(organizationId, id, noteId))) throw notFound("Note");
      await deleteOriginalsById(db, files);
    },
  };
}

function toNote(
  { id, conversationId, authorId, authorName, text, mentions, createdAt }: ConversationNoteRow,
  attachments: readonly AttachmentRow[],
): ConversationNote {
  const name = { name: authorName, initials: toInitials(authorName) };
  return {
    id,
    conversationId,
    author: authorId === null ? name : { userId: authorId, ...name },
    text,
    mentions: (JSON.parse(mentions) as Mention[]).map((one) => ({ ...one, initials: toInitials(one.name) })),
    attachments: attachments.map(toMessageAttachment),
    createdAt: new Date(createdAt).toISOString(),
  };
}
