import Type, { type Static } from "typebox";
import { agentTestLimits, checkKinds } from "../rules/evaluations.ts";
import { textPatterns } from "../rules/text-patterns.ts";
import {
  clearable,
  inEnvelope,
  listOffset,
  nullable,
  Pagination,
  ref,
  stringEnum,
  Timestamp,
  withDescription,
} from "../schema.ts";

export const AgentTestCheckSchema = Type.Object({
  kind: stringEnum(
    checkKinds,
    "`tool_called`, `asks_for_person`: in any reply. `tool_not_called`, `never_says`, `language`, `max_words`: in every reply. `says`, `cites`, `refuses`, `judge`: in the last reply.",
  ),
  tool: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: "For `tool_called` and `tool_not_called`: the tool's name",
    }),
  ),
  arguments: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({
      type: "object",
      additionalProperties: true,
      description: "For `tool_called` and `tool_not_called`: arguments that the call has. It may have others too.",
    }),
  ),
  text: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: agentTestLimits.textCharacters,
      description:
        "For `says` and `never_says`: a text, in any letter case. For `judge`: what the reply must do, which the agent's model judges.",
    }),
  ),
  language: Type.Optional(
    Type.String({ pattern: textPatterns.languageTag, maxLength: 20, description: "For `language`: such as `de`" }),
  ),
  document: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2_000, description: "For `cites`: the title or URL of the document" }),
  ),
  n: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, description: "For `max_words`" })),
});
export type AgentTestCheck = Static<typeof AgentTestCheckSchema>;

const Turns = Type.Array(Type.String({ minLength: 1, maxLength: agentTestLimits.turnCharacters }), {
  minItems: 1,
  maxItems: agentTestLimits.turns,
  description: "The visitor's messages, in order. The agent answers each of them.",
});

const Results = Type.Unsafe<Record<string, unknown>>({
  type: "object",
  additionalProperties: true,
  maxProperties: agentTestLimits.results,
  description:
    'What each tool answers, by name. A mock tool without an entry gives its own answer, and any other tool `{"ok":true}`. No tool runs.',
});

const name = Type.String({ minLength: 1, maxLength: agentTestLimits.name, description: "Unique within the agent" });

/** What a test consists of, also in files. */
const content = {
  name,
  turns: Turns,
  checks: Type.Array(AgentTestCheckSchema, {
    maxItems: agentTestLimits.checks,
    description: "What the replies must do, or not do",
  }),
  results: Results,
};

export const AgentTest = Type.Object(
  {
    id: Type.String(),
    ...content,
    conversationId: nullable(
      Type.String({ description: "The conversation that the test was kept from. The test is deleted with it." }),
    ),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: "AgentTest" },
);
export type AgentTest = Static<typeof AgentTest>;

/** A test in the file of its agent. */
export const AgentFileTest = Type.Object({
  name,
  turns: Turns,
  checks: content.checks,
  results: Type.Optional(Results),
});
export type AgentFileTest = Static<typeof AgentFileTest>;

/** A test without what belongs to one server. */
export type AgentTestContent = Pick<AgentTest, keyof typeof content>;

const CreateAgentTest = Type.Object({
  name,
  turns: Turns,
  checks: clearable(content.checks),
  results: Type.Optional(nullable(Results)),
});
export type AgentTestCreate = Static<typeof CreateAgentTest>;

const UpdateAgentTest = Type.Partial(CreateAgentTest);
export type AgentTestChanges = Static<typeof UpdateAgentTest>;

const KeepConversation = Type.Object({
  conversationId: Type.String({ minLength: 1, maxLength: 200, description: "A conversation of this agent" }),
  name: Type.Optional(nullable(name)),
  messageId: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "The reply with which the test ends. Default: the last",
      }),
    ),
  ),
});
export type KeptConversation = Static<typeof KeepConversation>;

/** A version as a number, or the draft. */
export const VersionOrDraft = Type.Unsafe<number | string>({
  type: ["integer", "string"],
  minimum: 1,
  maximum: 999_999_999,
  pattern: textPatterns.versionName,
  description: 'A version, or `"draft"`',
});

const RunAgentTests = Type.Object({
  version: VersionOrDraft,
  repeat: Type.Optional(
    Type.Integer({ minimum: 1, maximum: agentTestLimits.repeat, description: "How often each test runs. Default: 1" }),
  ),
  testIds: Type.Optional(
    nullable(
      Type.Array(Type.String(), { maxItems: agentTestLimits.tests, description: "Only these tests. Default: all" }),
    ),
  ),
  wait: Type.Optional(
    Type.Boolean({ description: "`false`: respond at once. By default, the response waits up to 20 s for the run." }),
  ),
});

export const AgentTestResult = Type.Object(
  {
    testId: Type.String(),
    name: Type.String(),
    passed: Type.Boolean({ description: "Whether all runs passed" }),
    passes: Type.Integer({ description: "The number of runs that passed" }),
    runs: Type.Integer(),
    failures: Type.Array(
      Type.Object({
        check: Type.Unsafe<AgentTestCheck | null>({
          ...AgentTestCheckSchema,
          type: ["object", "null"],
          description: "`null` when the agent could not reply",
        }),
        got: Type.String({ description: "What came instead" }),
      }),
      { description: "The checks that failed in any run, each once" },
    ),
  },
  { $id: "AgentTestResult" },
);
export type AgentTestResult = Static<typeof AgentTestResult>;

export const agentTestRunStatuses = ["running", "finished", "stopped"] as const;
export type AgentTestRunStatus = (typeof agentTestRunStatuses)[number];

const summary = {
  id: Type.String(),
  status: stringEnum(agentTestRunStatuses, "`stopped`: it ended before all tests had run"),
  problem: nullable(Type.String({ description: "Why the run has stopped" })),
  version: VersionOrDraft,
  repeat: Type.Integer(),
  createdAt: Timestamp,
  finishedAt: nullable(Timestamp),
};
export const AgentTestRunSummary = Type.Object(summary, { $id: "AgentTestRunSummary" });
export type AgentTestRunSummary = Static<typeof AgentTestRunSummary>;

export const AgentTestRun = Type.Object(
  {
    ...summary,
    testIds: Type.Array(Type.String(), { description: "The tests of the run, by name" }),
    done: Type.Integer({ description: "How often tests have run so far" }),
    total: Type.Integer({ description: "How often tests run in all: each test `repeat` times" }),
    results: Type.Array(ref(AgentTestResult), {
      description: "The tests that are done, by name. Of a stopped run, also those that have not run as often.",
    }),
  },
  { $id: "AgentTestRun" },
);
export type AgentTestRun = Static<typeof AgentTestRun>;

const tags = ["Agents"];
const config = { access: "account" } as const;
const agentId = Type.String({ description: "Id of the agent" });
const params = Type.Object({ id: agentId });
const runParams = Type.Object({ id: agentId, runId: Type.String({ description: "Id of the run" }) });
const testParams = Type.Object({ id: agentId, testId: Type.String({ description: "Id of the test" }) });

export const listAgentTests = {
  method: "GET",
  url: "/agents/:id/tests",
  config,
  schema: {
    tags,
    summary: "List an agent's tests by name",
    params,
    querystring: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 50. Values above 200 count as 200." })),
      offset: Type.Optional(listOffset),
    }),
    response: { 200: Type.Object({ data: Type.Array(ref(AgentTest)), pagination: Pagination, error: Type.Null() }) },
  },
} as const;

export const createAgentTest = {
  method: "POST",
  url: "/agents/:id/tests",
  config,
  schema: {
    tags,
    summary: "Create a test of an agent",
    params,
    body: CreateAgentTest,
    response: { 201: inEnvelope(ref(AgentTest)) },
  },
} as const;

export const keepConversationAsTest = {
  method: "POST",
  url: "/agents/:id/tests/from-conversation",
  config,
  schema: {
    tags,
    summary: "Keep a conversation as a test",
    description:
      "The visitor's messages become the turns, and the recorded answers of tools the results. Checks for the called tools and the language are added, but none for what a visitor rated as bad. The test is deleted with the conversation.",
    params,
    body: KeepConversation,
    response: { 201: inEnvelope(ref(AgentTest)) },
  },
} as const;

export const runAgentTests = {
  method: "POST",
  url: "/agents/:id/tests/run",
  config,
  schema: {
    tags,
    summary: "Run the tests of an agent with a version or the draft",
    description:
      "No tool, form, email or webhook runs, and no conversation is stored. The tokens count towards the organization's budget. A run that has not ended when the server responds continues in the background: read it with `GET /agents/:id/tests/runs/:runId`.",
    params,
    body: RunAgentTests,
    response: {
      200: inEnvelope(ref(AgentTestRun)),
      202: withDescription(inEnvelope(ref(AgentTestRun)), { description: "The run continues in the background" }),
    },
  },
} as const;

export const listAgentTestRuns = {
  method: "GET",
  url: "/agents/:id/tests/runs",
  config,
  schema: {
    tags,
    summary: "List the runs of an agent's tests, newest first",
    description: `The newest ${agentTestLimits.keptRuns} are kept.`,
    params,
    querystring: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 20. Values above 50 count as 50." })),
      offset: Type.Optional(listOffset),
    }),
    response: {
      200: Type.Object({ data: Type.Array(ref(AgentTestRunSummary)), pagination: Pagination, error: Type.Null() }),
    },
  },
} as const;

export const getAgentTestRun = {
  method: "GET",
  url: "/agents/:id/tests/runs/:runId",
  config,
  schema: {
    tags,
    summary: "Read a run of tests with the results so far",
    params: runParams,
    response: { 200: inEnvelope(ref(AgentTestRun)) },
  },
} as const;

export const stopAgentTestRun = {
  method: "POST",
  url: "/agents/:id/tests/runs/:runId/stop",
  config,
  schema: {
    tags,
    summary: "Stop a run of tests. The results so far are kept.",
    params: runParams,
    response: { 200: inEnvelope(ref(AgentTestRun)) },
  },
} as const;

export const getAgentTest = {
  method: "GET",
  url: "/agents/:id/tests/:testId",
  config,
  schema: { tags, summary: "Read a test", params: testParams, response: { 200: inEnvelope(ref(AgentTest)) } },
} as const;

export const updateAgentTest = {
  method: "PATCH",
  url: "/agents/:id/tests/:testId",
  config,
  schema: {
    tags,
    summary: "Change a test. Omitted fields keep their values.",
    params: testParams,
    body: UpdateAgentTest,
    response: { 200: inEnvelope(ref(AgentTest)) },
  },
} as const;

export const deleteAgentTest = {
  method: "DELETE",
  url: "/agents/:id/tests/:testId",
  config,
  schema: {
    tags,
    summary: "Delete a test",
    params: testParams,
    response: { 200: Type.Object({ success: Type.Literal(true) }) },
  },
} as const;
