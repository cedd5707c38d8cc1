import type { AnswerEmail, HandoffCause, HandoffRecord } from "@foyer/contract";
import type { ConversationDetail } from "./split-reply.ts";

/**
 * A change of the handler between messages. `note` is what the member told the agent when returning the conversation.
 */
export type HandoffLine = { kind: "handoff"; id: string; createdAt: string; text: string; note: string | null };

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
export function toHandoffLines(records: readonly HandoffRecord[], agentName: string): HandoffLine[] {
  return records
    .flatMap((record) => [requestLine(record), toTakenLine(record), endLine(record, agentName)])
    .filter((line) => line !== null);
}

function requestLine({ cause, requestedAt }: HandoffRecord): HandoffLine | null {
  // The next line already names the member who took over without a request.
  return cause === "member" ? null : createLine({ name: "requested", at: requestedAt, text: causeTexts[cause] });
}

function toTakenLine({ takenAt, takenBy }: HandoffRecord): HandoffLine | null {
  return takenAt === null
    ? null
    : createLine({ name: "taken", at: takenAt, text: `${takenBy?.name ?? "A member"} took over` });
}

function endLine({ endedAt, endedHow, endedBy, note }: HandoffRecord, agentName: string): HandoffLine | null {
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
export function toEmailLines(emails: readonly AnswerEmail[]): HandoffLine[] {
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

function createLine({
  name,
  at,
  text,
  note = null,
}: {
  name: string;
  at: string;
  text: string;
  note?: string | null | undefined;
}): HandoffLine {
  return { kind: "handoff", id: `${name} ${at}`, createdAt: at, text, note };
}
