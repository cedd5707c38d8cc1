import Type, { type Static } from "typebox";
import { handoffSettingsLimits, maxIdentityLength } from "../rules/limits.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import { idParams, inEnvelope, nullable, ref, refOrNull, stringEnum, Timestamp, withDescription } from "../schema.ts";

/**
 * Who handles a conversation: the agent (`agent`); a member of the team (`human`); or, while the visitor waits for a
 * person (`waiting`), the agent or nobody, depending on the agent's settings.
 */
export const handlers = ["agent", "waiting", "human"] as const;
export type Handler = (typeof handlers)[number];

/** What caused a request for a person. `member`: a member took the conversation over without a request. */
export const handoffCauses = [
  "visitor",
  "agent",
  "rating",
  "failed_tools",
  "failed_reply",
  "custom_event",
  "member",
] as const;
export type HandoffCause = (typeof handoffCauses)[number];

/** Limits of the texts of a handoff, in characters. */
export const handoffLimits = { reason: 500, summary: 2_000, message: 8_000, note: 4_000 } as const;

/** A member of the team, as visitors and colleagues see them. */
export const Person = Type.Object(
  {
    userId: Type.Optional(Type.String({ description: "Only sent to members and API keys" })),
    name: Type.String(),
    initials: Type.String({ description: "One or two letters for an avatar" }),
  },
  { $id: "Person" },
);
export type Person = Static<typeof Person>;

/** Who wrote a message. `person` is set if `kind` is `member`. */
export const Author = Type.Object(
  {
    kind: stringEnum(["agent", "visitor", "member"]),
    person: refOrNull(Person),
  },
  { $id: "Author", description: "Who wrote a message. A member's messages have the role `assistant`." },
);
export type Author = Static<typeof Author>;

const timeOfDay = (description: string) =>
  Type.String({ pattern: textPatterns.timeOfDay, description: `${description}, such as \`09:30\`` });

export const OfficeHours = Type.Object({
  timeZone: Type.String({ minLength: 1, maxLength: 100, description: "IANA time zone, such as `Europe/Zurich`" }),
  days: Type.Array(
    Type.Object({
      day: Type.Integer({ minimum: 1, maximum: 7, description: "Day of the week, from 1 for Monday to 7 for Sunday" }),
      from: timeOfDay("Start"),
      to: timeOfDay("End, later than `from`"),
    }),
    { maxItems: 28, description: "When the team is available. A day can have several spans." },
  ),
  exceptions: Type.Array(
    Type.Object({
      date: Type.String({ pattern: textPatterns.date, description: "Date in that time zone, such as `2026-12-25`" }),
      from: nullable(timeOfDay("Start, or `null` if the team is away all day")),
      to: nullable(timeOfDay("End, or `null` with `from`")),
    }),
    { maxItems: handoffSettingsLimits.exceptions, description: "Dates on which other hours apply, or none" },
  ),
});
export type OfficeHours = Static<typeof OfficeHours>;

/** An agent's settings for handing conversations over to people. */
export const HandoffSettings = Type.Object(
  {
    isEnabled: Type.Boolean({ description: "Whether the agent can hand a conversation over. Off by default." }),
    hasButton: Type.Boolean({ description: "Whether the widget offers “Talk to a person”. On by default." }),
    whileWaiting: stringEnum(
      ["agent", "silent"],
      "Whether the agent keeps answering until a member takes over. Defaults to `agent`.",
    ),
    promiseMinutes: nullable(
      Type.Integer({
        minimum: 1,
        maximum: handoffSettingsLimits.promiseMinutes,
        description:
          "The number of minutes within which visitors are promised an answer. A request that no member has taken by then goes to the next member. `null` promises nothing.",
      }),
    ),
    hours: Type.Unsafe<OfficeHours | null>({
      anyOf: [OfficeHours, { type: "null" }],
      description:
        "Office hours. Outside them, visitors can leave an email address. `null` means that the team is always available.",
    }),
    badRatings: nullable(
      Type.Integer({
        minimum: 1,
        maximum: handoffSettingsLimits.ruleCount,
        description: "Request a person after this many bad ratings",
      }),
    ),
    failedTools: nullable(
      Type.Integer({
        minimum: 1,
        maximum: handoffSettingsLimits.ruleCount,
        description: "Request a person after this many failed tool calls",
      }),
    ),
    failedReplies: nullable(
      Type.Integer({
        minimum: 1,
        maximum: handoffSettingsLimits.ruleCount,
        description: "Request a person after this many consecutive replies that ended with an error",
      }),
    ),
    events: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: handoffSettingsLimits.events,
      description: "Names of custom events of the page that ask for a person",
    }),
    escalation: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      maxItems: 50,
      description:
        "User ids of the members to notify, in order. If it is empty, all members are notified at the same time.",
    }),
    teamId: nullable(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          "The id of the team that requests wait for. With `null`, or after the team was deleted, they wait for everyone.",
      }),
    ),
  },
  { $id: "HandoffSettings" },
);
export type HandoffSettings = Static<typeof HandoffSettings>;

const settings = HandoffSettings.properties;

/** Changes to an agent's handoff settings. Omitted settings keep their values. */
export const HandoffChanges = Type.Partial(
  Type.Object({
    isEnabled: nullable(settings.isEnabled),
    hasButton: nullable(settings.hasButton),
    whileWaiting: nullable(settings.whileWaiting),
    promiseMinutes: settings.promiseMinutes,
    hours: settings.hours,
    badRatings: settings.badRatings,
    failedTools: settings.failedTools,
    failedReplies: settings.failedReplies,
    events: nullable(settings.events),
    escalation: nullable(settings.escalation),
    teamId: settings.teamId,
  }),
);
export type HandoffChanges = Static<typeof HandoffChanges>;

/** The handoff settings that the widget needs. */
export const WidgetHandoff = Type.Object(
  {
    hasButton: Type.Boolean(),
    isOpen: Type.Boolean({ description: "Whether the team is available now, by the office hours" }),
    opensAt: nullable(
      withDescription(Timestamp, {
        description: "When the team is next available. `null` if it is available now or never.",
      }),
    ),
    promiseMinutes: nullable(Type.Integer({ description: "Within how many minutes an answer is promised" })),
    whileWaiting: settings.whileWaiting,
    canEmail: Type.Boolean({
      description: "Whether the server can send email, so that visitors can leave an address for the answer",
    }),
  },
  { $id: "WidgetHandoff" },
);
export type WidgetHandoff = Static<typeof WidgetHandoff>;

/** A request for a person, from the request until the person's part ends. */
export const Handoff = Type.Object(
  {
    cause: stringEnum(handoffCauses),
    reason: nullable(Type.String({ description: "Why a person is needed, in the words of the visitor or the agent" })),
    summary: Type.Optional(
      nullable(Type.String({ description: "The agent's summary for the team. Only sent to members and API keys." })),
    ),
    requestedAt: Timestamp,
    promisedAt: nullable(withDescription(Timestamp, { description: "The time by which an answer is promised" })),
    takenAt: nullable(Timestamp),
    answeredAt: nullable(withDescription(Timestamp, { description: "When a member first wrote to the visitor" })),
    escalatedTo: Type.Optional(
      Type.Integer({
        description:
          "How often the request went to the next member because none had taken it in time. Only sent to members and API keys.",
      }),
    ),
    email: Type.Optional(
      nullable(
        Type.String({
          description: "Where an answer is sent while the visitor is away. Only sent to members and API keys.",
        }),
      ),
    ),
  },
  { $id: "Handoff" },
);
export type Handoff = Static<typeof Handoff>;

/** How a request for a person was handled, for the team. */
export const HandoffRecord = Type.Object(
  {
    cause: stringEnum(handoffCauses),
    reason: nullable(Type.String({ description: "Why, in the words of the visitor or the agent" })),
    email: nullable(
      Type.String({
        description:
          "The address that the visitor left during this request. The newest one receives all later answers.",
      }),
    ),
    requestedAt: Timestamp,
    takenAt: nullable(Timestamp),
    takenBy: refOrNull(Person, { description: "The member who first took the request" }),
    endedAt: nullable(Timestamp),
    endedHow: nullable(
      stringEnum(
        ["returned", "closed", "cancelled", "left", "moved"],
        "`returned` to the agent or `closed` by a member, `cancelled` by the visitor, `left` because the member left the organization and a new request began, or `moved` to a team, for which a new request began",
      ),
    ),
    endedBy: refOrNull(Person, { description: "The member who returned or closed the conversation" }),
    note: nullable(
      Type.String({ description: "The note for the agent from the member who returned the conversation" }),
    ),
  },
  { $id: "HandoffRecord" },
);
export type HandoffRecord = Static<typeof HandoffRecord>;

/** An email with a member's answer to a visitor who was away. */
export const AnswerEmail = Type.Object(
  {
    to: Type.String(),
    at: withDescription(Timestamp, { description: "When it was sent, or is due" }),
    state: stringEnum(["pending", "delivered", "failed"], "`failed` after the last attempt"),
  },
  { $id: "AnswerEmail" },
);
export type AnswerEmail = Static<typeof AnswerEmail>;

/** What a team owes the visitor within a given time. */
export const replyTargetKinds = ["firstAnswer", "nextAnswer", "resolution"] as const;
export type ReplyTargetKind = (typeof replyTargetKinds)[number];

/** The next moment by which the team wants to have answered. */
export const ReplyClock = Type.Object(
  {
    kind: stringEnum(replyTargetKinds),
    dueAt: withDescription(Timestamp, { description: "When the target is missed" }),
    warnAt: withDescription(Timestamp, { description: "When three quarters of the time have passed" }),
  },
  { $id: "ReplyClock" },
);
export type ReplyClock = Static<typeof ReplyClock>;

/** Who handles a conversation. Each change increments `epoch`. */
export const Ownership = Type.Object(
  {
    handler: stringEnum(handlers),
    epoch: Type.Integer({ minimum: 0 }),
    assignee: refOrNull(Person),
    handoff: refOrNull(Handoff, {
      description: "The current request for a person. `null` while the agent has the conversation.",
    }),
    team: Type.Optional(
      nullable(
        Type.Object(
          { id: Type.String(), name: Type.String() },
          { description: "The team of the current request. Only sent to members and API keys." },
        ),
      ),
    ),
    clock: Type.Optional(
      refOrNull(ReplyClock, {
        description: "The team's next target for this conversation, if any. Only sent to members and API keys.",
      }),
    ),
  },
  { $id: "Ownership" },
);
export type Ownership = Static<typeof Ownership>;

const tags = ["Handoff"];
const params = idParams("conversation");
const visitor = { access: "conversation", crossOrigin: true } as const;
const ownership = { 200: inEnvelope(ref(Ownership)) };

export const requestHuman = {
  method: "POST",
  url: "/conversations/:id/handoff",
  config: visitor,
  schema: {
    tags,
    summary: "Request a person",
    description:
      "For an agent with `handoff.isEnabled`. If the visitor is already waiting or a person has the conversation, the request only updates `reason` and `email`.",
    params,
    body: Type.Object({
      reason: Type.Optional(
        nullable(Type.String({ maxLength: handoffLimits.reason, description: "Why the visitor wants a person" })),
      ),
      email: Type.Optional(
        nullable(
          Type.String({
            maxLength: maxIdentityLength,
            format: "email",
            description: "Where an answer is sent if the visitor is away",
          }),
        ),
      ),
    }),
    response: ownership,
  },
} as const;

export const cancelHandoff = {
  method: "DELETE",
  url: "/conversations/:id/handoff",
  config: visitor,
  schema: { tags, summary: "Stop waiting for a person. The agent answers again.", params, response: ownership },
} as const;

export const takeOver = {
  method: "POST",
  url: "/conversations/:id/takeover",
  config: { access: "session" },
  schema: {
    tags,
    summary: "Take a conversation over",
    description:
      "A running reply of the agent ends, and nothing of it is stored afterwards. If another member has the conversation, the response is 409 and names that member.",
    params,
    response: ownership,
  },
} as const;

export const assignConversation = {
  method: "POST",
  url: "/conversations/:id/assign",
  config: { access: "session" },
  schema: {
    tags,
    summary: "Assign a conversation to a member or a team, even if another member has it",
    description:
      "With `teamId` alone, the visitor waits for that team, and a member who has the conversation no longer has it. Send at least one of the two.",
    params,
    body: Type.Object(
      {
        userId: Type.Optional(nullable(Type.String({ minLength: 1, description: "The member who continues" }))),
        teamId: Type.Optional(
          nullable(Type.String({ minLength: 1, maxLength: 100, description: "The team that continues" })),
        ),
      },
      { minProperties: 1 },
    ),
    response: ownership,
  },
} as const;

/** The maximum is that of PostgreSQL's `integer`. */
const epoch = Type.Integer({
  minimum: 0,
  maximum: 2_147_483_647,
  description:
    "The `epoch` of the conversation as your client last saw it. The call then has no effect on a later request or takeover: if the conversation has since passed to someone else, the response is 409 and says who has it. A repeated call succeeds while the agent has the conversation.",
});

export const returnConversation = {
  method: "POST",
  url: "/conversations/:id/return",
  config: { access: "session" },
  schema: {
    tags,
    summary: "Return a conversation to the agent",
    params,
    body: Type.Object({
      note: Type.Optional(
        nullable(
          Type.String({
            maxLength: handoffLimits.note,
            description: "What the agent should know. Visitors do not see it.",
          }),
        ),
      ),
      epoch: Type.Optional(nullable(epoch)),
    }),
    response: ownership,
  },
} as const;

export const closeConversation = {
  method: "POST",
  url: "/conversations/:id/close",
  config: { access: "session" },
  schema: {
    tags,
    summary: "End the handoff. The agent answers again if the visitor writes.",
    params,
    querystring: Type.Object({ epoch: Type.Optional(epoch) }),
    response: ownership,
  },
} as const;
