import Type, { type Static } from "typebox";
import { MEDIA_TYPES, nullable, ref, stringEnum, withDescription } from "../schema.ts";

const durations = (description: string) =>
  Type.Object(
    {
      median: nullable(Type.Integer({ description: "Half of the times are not longer. `null` without one." })),
      p90: nullable(Type.Integer({ description: "Nine of ten times are not longer. `null` without one." })),
    },
    { description: `${description}, in milliseconds` },
  );

const rate = (description: string) =>
  nullable(Type.Number({ description: `${description} × 100. \`null\` without one.` }));

/** What visitors answered when they were asked to rate whole conversations. */
export const RatingFigures = Type.Object(
  {
    asked: Type.Integer({ description: "Conversations that visitors were asked to rate" }),
    rated: Type.Integer({ description: "Of these, rated" }),
    responseRate: rate("`rated` / `asked`"),
    average: nullable(Type.Number({ description: "Mean rating, with two decimals. `null` without one." })),
    scores: Type.Array(Type.Integer(), {
      minItems: 5,
      maxItems: 5,
      description: "How many conversations have each rating, from 1 to 5",
    }),
  },
  { $id: "RatingFigures", description: "Ratings of whole conversations" },
);
export type RatingFigures = Static<typeof RatingFigures>;

const figures = {
  requests: Type.Integer({
    description:
      "Times that conversations were handed over to people. A request that passes to another team before a member takes it counts once.",
  }),
  answered: Type.Integer({ description: "Of these, answered by a member" }),
  ended: Type.Integer({ description: "Of these, returned to the agent or closed by a member" }),
  reopened: Type.Integer({
    description: "Of `requests`, those in a conversation that a member had returned or closed before",
  }),
  firstAnswerMs: durations(
    "From the request to the first answer, within the office hours. Takeovers without a request are left out",
  ),
  handlingMs: durations("From the takeover to the end of the member's part, within the office hours"),
  resolutionMs: durations("From the request to the end of the member's part, within the office hours"),
  nextAnswersMet: Type.Integer({ description: "Later answers within the team's target" }),
  nextAnswersMissed: Type.Integer({ description: "Later answers after the team's target" }),
  rating: withDescription(ref(RatingFigures), {
    description:
      "Ratings of conversations that people had. Each counts once, for the last request that a member had taken when it was given.",
  }),
};

export const InboxFigures = Type.Object(figures);
export type InboxFigures = Static<typeof InboxFigures>;

export const inboxFigureGroups = ["member", "team", "agent", "day", "hour"] as const;
export type InboxFigureGroup = (typeof inboxFigureGroups)[number];

const named = { id: Type.String(), name: Type.String() };
const mostFirst = "most requests first, at most 100";

/** How members, teams and agents have worked on the conversations that were handed over to people. */
export const InboxAnalytics = Type.Object(
  {
    from: Type.String({ description: "First day of the range, in UTC, such as `2026-01-31`" }),
    to: Type.String({ description: "Last day of the range, in UTC, included" }),
    totals: InboxFigures,
    ratingAlone: withDescription(ref(RatingFigures), {
      description: "Ratings of conversations of all agents that started in the range and that no member had",
    }),
    members: Type.Array(Type.Object({ ...named, ...figures }), {
      description: `By the member who took the request, ${mostFirst}`,
    }),
    teams: Type.Array(Type.Object({ ...named, ...figures }), {
      description: `By the team that the request went to last, ${mostFirst}`,
    }),
    agents: Type.Array(
      Type.Object({
        ...named,
        ...figures,
        conversations: Type.Integer({ description: "Conversations that started" }),
        notHandedOver: Type.Integer({
          description:
            "`conversations` without those that were handed over for the first time in the range. It says nothing about their outcome.",
        }),
        resolvedAlone: Type.Integer({ description: "The earlier name of `notHandedOver`" }),
        handedOver: Type.Integer({
          description: "Conversations that were handed over to people for the first time in the range",
        }),
        notHandedOverRate: rate("`notHandedOver` / `conversations`"),
        resolvedAloneRate: rate("The earlier name of `notHandedOverRate`"),
        ratingAlone: withDescription(ref(RatingFigures), {
          description: "Ratings of conversations that started in the range and that no member had",
        }),
      }),
      { description: "By agent, the most conversations first, at most 100" },
    ),
    days: Type.Array(
      Type.Object({
        date: Type.String({ description: "The day in UTC" }),
        ...figures,
      }),
      { description: "Days with requests, oldest first" },
    ),
    hours: Type.Array(
      Type.Object({
        hour: Type.Integer({ minimum: 0, maximum: 23, description: "Hour of the day in `timeZone`" }),
        ...figures,
      }),
      { minItems: 24, maxItems: 24, description: "All 24 hours of the day, over the whole range" },
    ),
  },
  { $id: "InboxAnalytics" },
);
export type InboxAnalytics = Static<typeof InboxAnalytics>;

export const getInboxAnalytics = {
  method: "GET",
  url: "/inbox/analytics",
  config: { access: "account" },
  schema: {
    tags: ["Inbox"],
    summary: "Read how members, teams and agents have worked on conversations",
    description:
      "By the day (UTC) of the request. Test conversations and what is in the trash are left out, and requests of deleted conversations count no longer.",
    querystring: Type.Object({
      agentId: Type.Optional(
        Type.String({ minLength: 1, description: "Only this agent. Without it, all agents of the organization." }),
      ),
      from: Type.Optional(
        Type.String({
          format: "date-or-date-time",
          description: "First day of the range, in UTC. Defaults to 29 days before `to`.",
        }),
      ),
      to: Type.Optional(
        Type.String({
          format: "date-or-date-time",
          description:
            "Last day of the range, in UTC, included as a whole. Defaults to today. A range covers at most its last 366 days.",
        }),
      ),
      timeZone: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            "IANA time zone of `hours`, such as `Europe/Zurich`. It follows changes of the clock within the range. Defaults to `UTC`.",
        }),
      ),
      format: Type.Optional(stringEnum(["json", "csv"], "`csv`: the rows of `group` as a file for spreadsheets")),
      group: Type.Optional(
        stringEnum(inboxFigureGroups, "What a row of the CSV file stands for. Defaults to `member`."),
      ),
    }),
    response: {
      200: Type.Object(
        { data: ref(InboxAnalytics), error: Type.Null() },
        { [MEDIA_TYPES]: { "text/csv": { schema: { type: "string", description: "With `format=csv`" } } } },
      ),
    },
  },
} as const;
