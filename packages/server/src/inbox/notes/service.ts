import { type ConversationNote, maxNotes } from "@foyer/contract";
import { toInitials } from "@foyer/contract/rules/initials";
import type { ConversationService } from "../../conversations/service.ts";
import type { ConversationNoteRow } from "../../db/tables/notes.ts";
import type { Deps } from "../../deps.ts";
import { AppError, notFound } from "../../errors.ts";
import type { SaveResponse } from "../../http/idempotency.ts";
import { isId, newId } from "../../ids.ts";
import { createNoteStore } from "./store.ts";

/** The author of a note: a member, or an API key, which has no user id. */
export type NoteAuthor = { userId: string | null; name: string };

export type NoteService = ReturnType<typeof createNoteService>;

/** Manages the internal notes of conversations, which only members and API keys can read. */
export function createNoteService({ db }: Pick<Deps, "db">, conversations: Pick<ConversationService, "existing">) {
  const store = createNoteStore(db);
  return {
    async list(organizationId: string, conversationId: string): Promise<ConversationNote[]> {
      const { id } = await conversations.existing({ organizationId }, conversationId);
      return (await store.list(organizationId, id)).map(toNote);
    },
    /** @throws 404 when the conversation does not exist, 409 when it has too many notes */
    async create(
      organizationId: string,
      conversationId: string,
      { author, text, keep }: { author: NoteAuthor; text: string; keep: SaveResponse | undefined },
    ): Promise<ConversationNote> {
      const { id, agentId } = await conversations.existing({ organizationId }, conversationId);
      const row: ConversationNoteRow = {
        id: newId("note"),
        organizationId,
        conversationId: id,
        authorId: author.userId,
        authorName: author.name,
        text: text.trim(),
        createdAt: Date.now(),
      };
      const note = toNote(row);
      const outcome = await store.insert(row, async (trx) => keep?.(trx, agentId, note));
      if (outcome === "no conversation") throw notFound("Conversation");
      if (outcome === "full") {
        throw new AppError("CONFLICT", `This conversation has ${maxNotes} notes. Delete one before you add another.`);
      }
      return note;
    },
    async delete(organizationId: string, conversationId: string, noteId: string): Promise<void> {
      const { id } = await conversations.existing({ organizationId }, conversationId);
      if (!isId("note", noteId) || !(await store.delete(organizationId, id, noteId))) throw notFound("Note");
    },
  };
}

function toNote({ id, conversationId, authorId, authorName, text, createdAt }: ConversationNoteRow): ConversationNote {
  const name = { name: authorName, initials: toInitials(authorName) };
  return {
    id,
    conversationId,
    author: authorId === null ? name : { userId: authorId, ...name },
    text,
    createdAt: new Date(createdAt).toISOString(),
  };
}
