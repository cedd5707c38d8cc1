import Type, { type Static } from "typebox";
import { handoffCauses } from "../handoff/handoff.ts";
import { inEnvelope, nullable, ref, stringEnum } from "../schema.ts";
import { costSums } from "./cost.ts";

const counts = {
  conversations: Type.Integer({ description: "Conversations that started" }),
  replies: Type.Integer({ description: "Replies that called a model" }),
  failedReplies: Type.Integer({ description: "Replies that ended with an error" }),
  ratedUp: Type.Integer({ description: "Replies with the rating `up`, counted when the reply was sent" }),
  ratedDown: Type.Integer({ description: "Replies with the rating `down`, counted when the reply was sent" }),
  inputTokens: Type.Integer(),
  cachedInputTokens: Type.Integer({ description: "The part of `inputTokens` that providers read from their caches" }),
  outputTokens: Type.Integer(),
  fallbackReplies: Type.Integer({ description: "Replies that another model answered than the agent's own" }),
  visitorAttachments: Type.Integer({ description: "Pictures and files that visitors sent" }),
  memberAttachments: Type.Integer({
    description:
      "Pictures and files that members sent to visitors, also from a team chat. Those of notes are not counted.",
  }),
  ...costSums,
};

export const ConversationCounts = Type.Object(counts);
export type ConversationCounts = Static<typeof ConversationCounts>;

const meanMs = (description: string) =>
  nullable(Type.Integer({ description: `${description}, in milliseconds on average. \`null\` without one.` }));

const handoffCounts = {
  count: Type.Integer({ description: "How often conversations were handed over to people" }),
  conversations: Type.Integer({ description: "Conversations that were handed over for the first time" }),
  rate: nullable(
    Type.Number({
      description:
        "`conversations` / conversations that started in the range × 100. Can exceed 100, because older conversations can also be handed over. `null` if none started.",
    }),
  ),
  taken: Type.Integer({ description: "Requests that a member took" }),
  answered: Type.Integer({ description: "Requests that a member answered" }),
  inTime: Type.Integer({
    description: "Of these, answered by the promised time. If nothing was promised, every answer counts.",
  }),
  waitMs: meanMs("Time from the request until a member took it"),
  answerMs: meanMs("Time from the request to the first message of a member"),
};

export const HandoffAnalytics = Type.Object(
  {
    requested: Type.Integer({
      description:
        "Of `count`, those that began with a request. `taken`, `answered`, `inTime` and the times cover only these, not takeovers without a request (`member`).",
    }),
    ...handoffCounts,
    answerTimes: Type.Array(
      Type.Object({
        maxMs: nullable(
          Type.Integer({
            description: "Longest time of this range, included. `null` in the last range, which has none.",
          }),
        ),
        count: Type.Integer({ description: "Requests that a member answered in a time of this range" }),
      }),
      {
        description:
          "`answered` by the time from the request to the first message of a member: up to 1, 5 and 15 minutes, 1 and 4 hours, and longer. Answers from before the server counted them are left out.",
      },
    ),
    causes: Type.Array(Type.Object({ cause: stringEnum(handoffCauses), ...handoffCounts }), {
      description: "By cause, most frequent first",
    }),
  },
  {
    $id: "HandoffAnalytics",
    description: "Conversations that were handed over to people, by the day (UTC) of the request",
  },
);
export type HandoffAnalytics = Static<typeof HandoffAnalytics>;

/** What a model was used for. A reply counts for the model that wrote its last step. */
const ModelCosts = Type.Object({
  model: Type.String({ description: "Id of the model" }),
  replies: counts.replies,
  inputTokens: counts.inputTokens,
  cachedInputTokens: counts.cachedInputTokens,
  outputTokens: counts.outputTokens,
  ...costSums,
});
export type ModelCosts = Static<typeof ModelCosts>;

export const ConversationAnalytics = Type.Object(
  {
    from: Type.String({ description: "First day of the range, in UTC, such as `2026-01-31`" }),
    to: Type.String({ description: "Last day of the range, in UTC, included" }),
    totals: ConversationCounts,
    days: Type.Array(Type.Object({ date: Type.String({ description: "The day in UTC" }), ...counts }), {
      description: "Days with activity, oldest first",
    }),
    hours: Type.Array(
      Type.Object({
        hour: Type.Integer({ minimum: 0, maximum: 23, description: "Hour of the day in UTC" }),
        conversations: Type.Integer(),
        replies: Type.Integer(),
      }),
      { minItems: 24, maxItems: 24, description: "All 24 hours of the day, over the whole range" },
    ),
    agents: Type.Array(Type.Object({ agentId: Type.String(), agentName: Type.String(), ...counts }), {
      description: "Agents with activity, the busiest first, at most 100",
    }),
    models: Type.Array(ModelCosts, { description: "Models that were called, the busiest first, at most 100" }),
    currency: Type.String({ description: "Code of the currency (ISO 4217) of every `cost`" }),
    handoffs: ref(HandoffAnalytics),
  },
  { $id: "ConversationAnalytics" },
);
export type ConversationAnalytics = Static<typeof ConversationAnalytics>;

export const getConversationAnalytics = {
  method: "GET",
  url: "/conversations/analytics",
  config: { access: "account" },
  schema: {
    tags: ["Conversations"],
    summary: "Read conversation analytics",
    description:
      "Conversations, ratings, failed replies, tokens, and pictures and files that were sent, by day, by hour and by agent, and how often and how quickly members took over. Conversations that members start in the playground are not counted. Deleting a conversation does not change the counts.",
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
    }),
    response: { 200: inEnvelope(ref(ConversationAnalytics)) },
  },
} as const;
