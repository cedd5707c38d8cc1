import type { Handler, HandoffCause } from "@foyer/contract";
import type { Generated } from "kysely";
import type { Flag, Instant, Json } from "./column-types.ts";

export type HandoffTables = { handoffs: HandoffTable; handoffDays: HandoffDayTable };

/** A request for a person, from the request until the person's part ends. At most one of a conversation is open. */
export type HandoffRow = {
  id: string;
  organizationId: string;
  agentId: string;
  conversationId: string;
  cause: HandoffCause;
  reason: string | null;
  /** the agent's summary for the team; visitors do not see it */
  summary: string | null;
  /** where an answer is sent while the visitor is away */
  email: string | null;
  requestedAt: Instant;
  promisedAt: Instant | null;
  takenAt: Instant | null;
  /** the user who first took the request */
  takenBy: string | null;
  /** when the member who has it got it; null until somebody took the request */
  assignedAt: Instant | null;
  /** whether its team's automatic assignment chose that member */
  isAutomatic: Flag;
  /** when a member first replied */
  answeredAt: Instant | null;
  endedAt: Instant | null;
  /**
   * `member`: a member returned it to the agent; `closed`: a member closed it; `visitor`: the visitor stopped waiting;
   * `left`: the member who had the conversation left the organization, and the visitor waits again; `moved`: it went to
   * another team, for which the visitor waits
   */
  endedBy: "member" | "visitor" | "closed" | "left" | "moved" | null;
  /** the user who returned or closed it; null in handoffs that ended before it was recorded */
  endedById: string | null;
  /** what the agent should know after the return */
  note: string | null;
  /** how many members it has escalated to */
  escalatedTo: number;
  /** when the team was notified; null if not yet, or if a member took the conversation over without a request */
  announcedAt: Instant | null;
  /** who was notified so far, in order: a JSON list of user ids, with null for everyone at once */
  notified: Json;
  /** the team that the request waits for, or waited for; null for everyone */
  teamId: string | null;
  /** when it passes to another team unless a member takes it before */
  escalatesAt: Instant | null;
  /** the team's targets that are not met yet, a JSON object of `ReplyTargets` */
  targets: Json | null;
  /** when the members are notified that the next target is about to be missed; null once they were */
  warnAt: Instant | null;
  /** answers within the team's target for the next answer, and later ones */
  nextMet: number;
  nextMissed: number;
  /** the time from the request to the first answer, and to the end, within the office hours; null until then */
  openAnswerMs: number | null;
  openEndMs: number | null;
  /** the time from the takeover to the end, within the office hours; null until then */
  openHandlingMs: number | null;
  /** when the visitor was asked for a rating by email, or when the sending began; null if the visitor was not */
  ratingMailedAt: Instant | null;
};

type HandoffTable = Omit<
  HandoffRow,
  | "escalatedTo"
  | "assignedAt"
  | "isAutomatic"
  | "notified"
  | "nextMet"
  | "nextMissed"
  | "openAnswerMs"
  | "openEndMs"
  | "openHandlingMs"
  | "ratingMailedAt"
> & {
  assignedAt: Generated<Instant | null>;
  isAutomatic: Generated<Flag>;
  nextMet: Generated<number>;
  openAnswerMs: Generated<number | null>;
  openEndMs: Generated<number | null>;
  openHandlingMs: Generated<number | null>;
  ratingMailedAt: Generated<Instant | null>;
  nextMissed: Generated<number>;
  escalatedTo: Generated<number>;
  notified: Generated<Json>;
};

/** An agent's requests of one UTC day by cause, without test conversations. */
export type HandoffDayRow = {
  agentId: string;
  day: string;
  cause: HandoffCause;
  requested: number;
  /** conversations that were handed over for the first time */
  conversations: number;
  taken: number;
  /** the sum of the times from the request until a member took it */
  waitedMs: number;
  answered: number;
  /** the sum of the times from the request to the first answer */
  answerMs: number;
  /** answered by the promised time */
  inTime: number;
} & AnswerTimeColumns;

/** Requests by the time to their first answer. Each answer is counted in the first column that covers its time. */
export type AnswerTimeColumns = {
  answersWithin1Min: number;
  answersWithin5Min: number;
  answersWithin15Min: number;
  answersWithin1Hour: number;
  answersWithin4Hours: number;
  answersLater: number;
};

type HandoffDayTable = Omit<HandoffDayRow, keyof AnswerTimeColumns> & {
  [Name in keyof AnswerTimeColumns]: Generated<number>;
};

/** Who has a conversation. */
export type OwnershipColumns = {
  handler: Handler;
  /** rises with every change of `handler` or `assigneeId` */
  epoch: number;
  /** the user who has the conversation; null unless `handler` is `human` */
  assigneeId: string | null;
  /** when the visitor asked for a person; null unless `handler` is `waiting` */
  waitingSince: Instant | null;
  /** the last change of the handler, or the last message while a person is involved; 0 if there was none */
  changedAt: Instant;
  /** the team of the newest request for a person; null for everyone */
  teamId: string | null;
};

/** Columns of a conversation that are optional on insert. */
export type OwnershipTable = { [Name in keyof OwnershipColumns]: Generated<OwnershipColumns[Name]> } & {
  /** the epoch of the last takeover; a reply that began in an earlier epoch is not stored */
  minReplyEpoch: Generated<number>;
  /** failed tool calls since the last handoff */
  failedTools: Generated<number>;
  /** consecutive replies that have failed since the last handoff */
  failedReplies: Generated<number>;
};

/** Who wrote a message: set for messages of members only. The name stays as it was when the message was written. */
export type AuthorColumns = { authorId: string | null; authorName: string | null };
