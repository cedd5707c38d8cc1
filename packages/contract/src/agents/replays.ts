import Type, { type Static } from "typebox";
import { ConversationQuery } from "../conversations/conversation.ts";
import { agentTestLimits, replayLimits, replayOutcomes } from "../rules/evaluations.ts";
import {
  clearable,
  inEnvelope,
  listOffset,
  nullable,
  Pagination,
  ref,
  Success,
  stringEnum,
  Timestamp,
  withDescription,
} from "../schema.ts";
import { AgentTestCheckSchema, VersionOrDraft } from "./agent-tests.ts";

export const replayStatuses = ["running", "finished", "stopped"] as const;
export type ReplayStatus = (typeof replayStatuses)[number];

const verdicts = ["baseline", "candidate", "tie"] as const;
export type ReplayVerdict = (typeof verdicts)[number];

const { handler, assignee, unread, userId, q, feedback, hasForm, failed, test, tag, from, to } =
  ConversationQuery.properties;

const Filter = Type.Object(
  { handler, assignee, unread, userId, q, feedback, hasForm, failed, test, tag, from, to },
  {
    description:
      "As the query of `GET /conversations`. Conversations of members who tested the agent are left out unless `test` is `true`.",
  },
);

const CreateReplay = Type.Object({
  from: VersionOrDraft,
  to: VersionOrDraft,
  sample: Type.Object(
    {
      n: Type.Integer({
        minimum: 1,
        maximum: replayLimits.conversations,
        description: "The number of conversations, newest first",
      }),
      filter: Type.Optional(nullable(clearable(Filter))),
    },
    { description: "Which of the agent's conversations are replayed" },
  ),
  maxCost: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1_000_000,
      description:
        "What the replay may cost, in the organization's currency. It stops before a call that could exceed this. `null`: no limit, also for models without a known price.",
    }),
  ),
  checks: Type.Optional(
    nullable(
      clearable(
        Type.Array(AgentTestCheckSchema, {
          maxItems: agentTestLimits.checks,
          description:
            "What each reply must do besides, as in tests. A reply fails a check only if the baseline passes it.",
        }),
      ),
    ),
  ),
  compare: Type.Optional(
    nullable(
      Type.Boolean({
        description:
          "Whether the model of `from` says which of two differing replies is better, without knowing which is which and in both orders. `false` by default. It costs two more calls for each of them.",
      }),
    ),
  ),
});
export type ReplayCreate = Static<typeof CreateReplay>;

export const ReplayEstimate = Type.Object(
  {
    cost: nullable(Type.Number({ description: "`null` if a price is unknown" })),
    currency: Type.String(),
    turns: Type.Integer({ description: "The replies that both versions would write again" }),
  },
  { $id: "ReplayEstimate" },
);
export type ReplayEstimate = Static<typeof ReplayEstimate>;

const Call = Type.Object({ name: Type.String(), arguments: Type.Unknown() });

const Run = Type.Object({
  text: Type.String(),
  calls: Type.Array(Call),
  divergence: Type.Unsafe<ReplayRun["divergence"]>({
    type: ["object", "null"],
    properties: {
      kind: stringEnum(["other_call", "missing_call"]),
      name: Type.String(),
      arguments: Type.Unknown(),
    },
    required: ["kind", "name", "arguments"],
    description: "The call that was not recorded, or the recorded one that was not made",
  }),
  failedChecks: Type.Array(
    Type.Object({
      check: Type.String({ description: "A kind of check, such as `language`, `lost_fact` or `says`" }),
      got: Type.String(),
    }),
  ),
  problem: nullable(Type.String({ description: "Why there is no reply" })),
  tokens: Type.Integer(),
  cost: nullable(Type.Number()),
  durationMs: Type.Integer(),
});
export type ReplayRun = {
  text: string;
  calls: Array<{ name: string; arguments: unknown }>;
  divergence: { kind: "other_call" | "missing_call"; name: string; arguments: unknown } | null;
  failedChecks: Array<{ check: string; got: string }>;
  problem: string | null;
  tokens: number;
  cost: number | null;
  durationMs: number;
};

export const ReplayTurn = Type.Object(
  {
    conversationId: Type.String(),
    messageId: Type.String({ description: "The recorded reply" }),
    question: Type.String({ description: "The visitor's message that was answered" }),
    outcome: stringEnum(
      replayOutcomes,
      "`identical`: the same calls and text. `equal`: the same calls, and no check that fails only in the candidate. `diverged`: other calls. `failed_checks`: a check fails that the baseline passes.",
    ),
    baseline: Run,
    candidate: Run,
    modelVerdict: nullable(stringEnum(verdicts, "Which reply the model prefers, when it was asked")),
    verdict: nullable(stringEnum(verdicts, "Which reply a member prefers")),
  },
  { $id: "ReplayTurn" },
);
export type ReplayTurn = Static<typeof ReplayTurn>;

const Verdicts = Type.Object({ baseline: Type.Integer(), candidate: Type.Integer(), tie: Type.Integer() });
const Totals = Type.Object({ tokens: Type.Integer(), cost: Type.Number(), durationMs: Type.Integer() });

const summaryFields = {
  id: Type.String(),
  status: stringEnum(replayStatuses),
  problem: nullable(Type.String({ description: "Why the replay has stopped" })),
  from: VersionOrDraft,
  to: VersionOrDraft,
  maxCost: nullable(Type.Number()),
  estimate: ref(ReplayEstimate),
  cost: Type.Number({ description: "What the calls have cost so far, as far as prices are known" }),
  createdAt: Timestamp,
  finishedAt: nullable(Timestamp),
};

export const ReplaySummary = Type.Object(summaryFields, { $id: "ReplaySummary" });
export type ReplaySummary = Static<typeof ReplaySummary>;

export const Replay = Type.Object(
  {
    ...summaryFields,
    summary: Type.Object({
      identical: Type.Integer(),
      equal: Type.Integer(),
      diverged: Type.Integer(),
      failedChecks: Type.Integer(),
      baselineDiverged: Type.Integer({
        description: "The turns in which the unchanged version made other calls than the recorded ones: the noise",
      }),
    }),
    totals: Type.Object({ baseline: Totals, candidate: Totals }),
    verdicts: withDescription(Verdicts, { description: "How many replies of each version members prefer" }),
    modelVerdicts: withDescription(Verdicts, { description: "How many replies of each version the model prefers" }),
    turns: Type.Array(ref(ReplayTurn)),
    pagination: Pagination,
  },
  { $id: "Replay" },
);
export type Replay = Static<typeof Replay>;

const tags = ["Agents"];
const config = { access: "account" } as const;
const agentId = Type.String({ description: "Id of the agent" });
const params = Type.Object({ id: agentId });
const replayParams = Type.Object({ id: agentId, replayId: Type.String({ description: "Id of the replay" }) });
const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 50. Values above 200 count as 200." })),
  offset: Type.Optional(listOffset),
};

const StartedReplay = Type.Object({
  id: nullable(Type.String({ description: "`null` for a dry run" })),
  status: nullable(stringEnum(replayStatuses, "`null` for a dry run")),
  estimate: ref(ReplayEstimate),
  suggestedMaxCost: nullable(
    Type.Number({
      description:
        "A `maxCost` with room for longer replies, and for the most that the last call could cost. `null` if a price is unknown.",
    }),
  ),
});

export const listReplays = {
  method: "GET",
  url: "/agents/:id/replays",
  config,
  schema: {
    tags,
    summary: "List an agent's replays, newest first",
    params,
    querystring: Type.Object(page),
    response: {
      200: Type.Object({ data: Type.Array(ref(ReplaySummary)), pagination: Pagination, error: Type.Null() }),
    },
  },
} as const;

export const createReplay = {
  method: "POST",
  url: "/agents/:id/replays",
  config,
  schema: {
    tags,
    summary: "Let two versions of an agent answer recorded conversations again, and compare the replies",
    description:
      "No tool, form, email or webhook runs: a call that was recorded gets the recorded result, and any other one is a divergence, which ends that conversation. No conversation is stored. The tokens count towards the organization's budget. With `dryRun=true`, only the price is estimated.",
    params,
    querystring: Type.Object({
      dryRun: Type.Optional(Type.Boolean({ description: "Only estimate what the replay would cost" })),
    }),
    body: CreateReplay,
    response: { 200: inEnvelope(StartedReplay), 202: inEnvelope(StartedReplay) },
  },
} as const;

export const getReplay = {
  method: "GET",
  url: "/agents/:id/replays/:replayId",
  config,
  schema: {
    tags,
    summary: "Read a replay and the turns that are done",
    params: replayParams,
    querystring: Type.Object({
      ...page,
      outcome: Type.Optional(stringEnum(replayOutcomes, "Only turns with this outcome")),
    }),
    response: { 200: inEnvelope(ref(Replay)) },
  },
} as const;

export const deleteReplay = {
  method: "DELETE",
  url: "/agents/:id/replays/:replayId",
  config,
  schema: {
    tags,
    summary: "Delete a replay. One that runs is stopped.",
    params: replayParams,
    response: { 200: Success },
  },
} as const;

export const putReplayVerdict = {
  method: "PUT",
  url: "/agents/:id/replays/:replayId/turns/:messageId/verdict",
  config,
  schema: {
    tags,
    summary: "Record which of two replies a member prefers",
    params: Type.Object({
      ...replayParams.properties,
      messageId: Type.String({ description: "Id of the recorded reply" }),
    }),
    body: Type.Object({ verdict: nullable(stringEnum(verdicts, "`null` removes it")) }),
    response: { 200: inEnvelope(ref(ReplayTurn)) },
  },
} as const;
