import type { Note } from "../chat/model-prompt.ts";
import type { HandoffRow } from "../db/handoff-tables.ts";
import type { Db } from "../db/open.ts";
import type { ConversationRow } from "../db/tables.ts";
import { quotedJson } from "../quoted-json.ts";

/** @returns a function that tells the model about the newest request for a person in a conversation */
export function createHandoffNotes(db: Db) {
  return async ({ id, epoch }: Pick<ConversationRow, "id" | "epoch">): Promise<Note[]> => {
    // Most conversations never leave their agent.
    if (epoch === 0) return [];
    const newest = await db
      .selectFrom("handoffs")
      .selectAll()
      .where("conversationId", "=", id)
      .orderBy("requestedAt", "desc")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return newest ? [noteOf(newest)] : [];
  };
}

/**
 * A note about a finished handoff is placed before the message that follows it, and a note about an open request before
 * the newest message.
 */
function noteOf({ endedAt, endedBy, takenAt, note, promisedAt }: HandoffRow): Note {
  if (endedAt === null) {
    const promise = promisedAt === null ? "" : ` An answer was promised by ${new Date(promisedAt).toISOString()}.`;
    return {
      createdAt: Number.POSITIVE_INFINITY,
      text: `[The visitor waits for a person of the team, who has not taken over yet.${promise} Help as well as you can. Promise nothing else about the person.]`,
    };
  }
  if (takenAt === null && endedBy === "visitor") {
    return { createdAt: endedAt, text: "[The visitor no longer waits for a person. You answer again.]" };
  }
  const quoted = note === null ? "" : ` Their note for you, which the visitor does not see: ${quotedJson(note)}.`;
  return {
    createdAt: endedAt,
    text: `[The part of the team is over, and you answer again, in your own name.${quoted} Messages that begin with the name of a member of the team were not written by you. Do not write in a member's name, and do not offer a person again for the same reason.]`,
  };
}
