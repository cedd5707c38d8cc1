import type { Note } from "../chat/turn/prompt-notes.ts";
import type { Db } from "../db/open.ts";
import type { HandoffRow } from "../db/tables/handoff.ts";
import type { ConversationRow } from "../db/tables.ts";
import { quoteJson } from "../quoted-json.ts";

/** The maximum number of requests that the prompt mentions. */
const MAX_REQUESTS = 10;

/** @returns a function that creates the notes for the model about the newest requests for a person in a conversation */
export function createHandoffNotes(db: Db) {
  return async ({ id, epoch }: Pick<ConversationRow, "id" | "epoch">): Promise<Note[]> => {
    // Most conversations are in epoch 0: the agent has always had them, so there are no requests to read.
    if (epoch === 0) return [];
    const requests = await db
      .selectFrom("handoffs")
      .selectAll()
      .where("conversationId", "=", id)
      .orderBy("requestedAt", "desc")
      .orderBy("id", "desc")
      .limit(MAX_REQUESTS)
      .execute();
    const [newest, ...earlier] = requests;
    return newest ? [...earlier.toReversed().flatMap(createEarlierNotes), createNewestNote(newest, earlier)] : [];
  };
}

const authorshipNotice =
  "Messages that begin with the name of a member of the team were not written by you. Do not write in a member's name";

/** A note that a member wrote for the model still applies after the visitor has asked for a person again. */
function createEarlierNotes({ id, endedAt, note }: HandoffRow): Note[] {
  if (endedAt === null || note === null) return [];
  return [
    { id, createdAt: endedAt, text: `[A member of the team returned the conversation to you.${quoteNote(note)}]` },
  ];
}

const quoteNote = (note: string) => ` Their note for you, which the visitor does not see: ${quoteJson(note)}.`;

/**
 * A note about a finished handoff is placed before the message that follows it, and a note about an open request before
 * the newest message.
 */
function createNewestNote(newest: HandoffRow, earlier: readonly HandoffRow[]): Note {
  const { id, endedAt, endedBy, takenAt, note, promisedAt } = newest;
  const wasTaken = takenAt !== null || earlier.some((one) => one.takenAt !== null);
  const authors = wasTaken ? ` ${authorshipNotice}.` : "";
  if (endedAt === null) {
    const hasLeft = earlier[0]?.endedBy === "left";
    const former = hasLeft ? "The member of the team who had this conversation can no longer answer. " : "";
    const promise = promisedAt === null ? "" : ` An answer was promised by ${new Date(promisedAt).toISOString()}.`;
    return {
      createdAt: Number.POSITIVE_INFINITY,
      text: `[${former}The visitor waits for a person of the team, who has not taken over yet.${promise} Help as well as you can. Promise nothing else about the person.${authors}]`,
    };
  }
  if (takenAt === null && endedBy === "visitor") {
    return { id, createdAt: endedAt, text: `[The visitor no longer waits for a person. You answer again.${authors}]` };
  }
  const quoted = note === null ? "" : quoteNote(note);
  return {
    id,
    createdAt: endedAt,
    text: `[The part of the team is over, and you answer again, in your own name.${quoted} ${authorshipNotice}, and do not offer a person again for the same reason.]`,
  };
}
