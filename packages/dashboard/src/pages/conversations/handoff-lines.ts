import type { AnswerEmail, ConversationRating, HandoffCause, HandoffRecord } from "@foyer/contract";
import { ratingText } from "../../components/rating-text.ts";
import type { ConversationDetail } from "./split-reply.ts";

/**
 * What happened between messages, such as a change of the handler. `note` is what the member told the agent when
 * returning the conversation, and `comment` what the visitor wrote with a rating.
 */
export type TranscriptLine = {
  kind: "line";
  id: string;
  createdAt: string;
  text: string;
  note: string | null;
  comment: string | null;
};

/** Describes the cause of a request for a person. */
export const causeTexts: Record<HandoffCause, string> = {
  visitor: "The visitor asked for a person",
  agent: "The agent asked for a person",
  rating: "Asked for a person after bad ratings",
  failed_tools: "Asked for a person after failed tool calls",
  failed_reply: "Asked for a person after failed replies",
  custom_event: "Asked for a person after an event of the page",
  member: "A member took over",
};

/** The lines of a transcript about its requests for a person, oldest first. */
export function toHandoffLines(records: readonly HandoffRecord[], agentName: string): TranscriptLine[] {
  return records
    .flatMap((record) => [requestLine(record), toTakenLine(record), endLine(record, agentName)])
    .filter((line) => line !== null);
}

function requestLine({ cause, requestedAt }: HandoffRecord): TranscriptLine | null {
  // The next line already names the member who took over without a request.
  return cause === "member" ? null : createLine({ name: "requested", at: requestedAt, text: causeTexts[cause] });
}

function toTakenLine({ takenAt, takenBy }: HandoffRecord): TranscriptLine | null {
  return takenAt === null
    ? null
    : createLine({ name: "taken", at: takenAt, text: `${takenBy?.name ?? "A member"} took over` });
}

function endLine({ endedAt, endedHow, endedBy, note }: HandoffRecord, agentName: string): TranscriptLine | null {
  if (!endedAt || !endedHow) return null;
  const who = endedBy?.name ?? "A member";
  const texts = {
    returned: `${who} returned the conversation to ${agentName}`,
    closed: `${who} closed the conversation`,
    cancelled: "The visitor stopped waiting",
    left: "The member left the organization, so the visitor waits again",
    moved: "The conversation was assigned to a team",
  };
  return createLine({ name: "ended", at: endedAt, text: texts[endedHow], note });
}

/** The lines of a transcript about the emails that the visitor received while away. */
export function toEmailLines(emails: readonly AnswerEmail[]): TranscriptLine[] {
  const texts = {
    pending: "Emailing the answer to",
    delivered: "Emailed the answer to",
    failed: "Could not email the answer to",
  };
  return emails.map(({ at, to, state }) => createLine({ name: "emailed", at, text: `${texts[state]} ${to}` }));
}

/**
 * The address to which answers are sent while the visitor is away. An address that the visitor left during an earlier
 * request still applies.
 */
export function findAnswerAddress({
  handoff,
  handoffs = [],
}: Pick<ConversationDetail, "handoff" | "handoffs">): string | null {
  return handoff?.email ?? handoffs.findLast(({ email }) => email !== null)?.email ?? null;
}

/** The line of a transcript about the visitor's rating of the whole conversation. */
export function toRatingLines(rating: ConversationRating | null): TranscriptLine[] {
  if (!rating) return [];
  const { score, comment, ratedAt: at } = rating;
  return [createLine({ name: "rated", at, text: `${ratingText(score)} by the visitor`, comment })];
}

function createLine({
  name,
  at,
  text,
  note = null,
  comment = null,
}: {
  name: string;
  at: string;
  text: string;
  note?: string | null | undefined;
  comment?: string | null;
}): TranscriptLine {
  return { kind: "line", id: `${name} ${at}`, createdAt: at, text, note, comment };
}
