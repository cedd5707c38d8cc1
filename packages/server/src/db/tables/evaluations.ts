import type { AgentTestRunStatus, ReplayStatus, ReplayVerdict } from "@foyer/contract";
import type { ReplayOutcome } from "@foyer/contract/rules/evaluations";
import type { Flag, Instant, Json } from "./column-types.ts";

/** Tests of agents and replays of conversations, see evaluations/. */
export type EvaluationTables = {
  agentTests: AgentTestRow;
  agentTestRuns: AgentTestRunRow;
  agentTestOutcomes: AgentTestOutcomeRow;
  replays: ReplayRow;
  replayTurns: ReplayTurnRow;
};

export type AgentTestRow = {
  id: string;
  organizationId: string;
  agentId: string;
  /** unique within the agent */
  name: string;
  /** the visitor's messages, a list of texts */
  turns: Json;
  /** a list of `AgentTestCheck` */
  checks: Json;
  /** what tools answer, by name */
  results: Json;
  /** the conversation that the test was kept from, with which it is deleted */
  conversationId: string | null;
  createdAt: Instant;
  updatedAt: Instant;
};

/** A run of tests, which is a job until it ends. */
export type AgentTestRunRow = {
  id: string;
  organizationId: string;
  agentId: string;
  status: AgentTestRunStatus;
  /** why it has stopped */
  problem: string | null;
  /** a number, or `draft` */
  version: string;
  /** what the version contained when the run began, because a draft changes */
  snapshot: Json;
  /** the hash of that content */
  hash: string;
  repeat: number;
  /** whether the agent is to be published if the tests pass, and nobody has read the result yet */
  isAwaited: Flag;
  createdAt: Instant;
  finishedAt: Instant | null;
  /** null when the run has ended */
  dueAt: Instant | null;
  fence: number;
};

/** One of the times that a test runs. */
export type AgentTestOutcomeRow = {
  runId: string;
  position: number;
  testId: string;
  /** what failed, a list; null until the test has run */
  failures: Json | null;
};

/** A replay, which is a job while it runs. */
export type ReplayRow = {
  id: string;
  organizationId: string;
  agentId: string;
  status: ReplayStatus;
  /** why it has stopped */
  problem: string | null;
  /** a number, or `draft` */
  fromVersion: string;
  toVersion: string;
  /** what the versions contained when the replay began, because a draft changes */
  fromSnapshot: Json;
  toSnapshot: Json;
  /** a list of `AgentTestCheck` */
  checks: Json;
  isCompared: Flag;
  maxCost: number | null;
  /** a `ReplayEstimate` */
  estimate: Json;
  cost: number;
  /** the most that the calls can cost that run now; it counts as spent after a crash */
  pendingCost: number;
  createdAt: Instant;
  finishedAt: Instant | null;
  /** null when the replay has ended */
  dueAt: Instant | null;
  fence: number;
};

/** A recorded reply that both versions write again. */
export type ReplayTurnRow = {
  replayId: string;
  position: number;
  conversationId: string;
  /** the recorded reply */
  messageId: string;
  /** null until both versions have replied */
  outcome: ReplayOutcome | null;
  /** a `ReplayRun` */
  baseline: Json | null;
  candidate: Json | null;
  baselineDiverged: Flag;
  baselineTokens: number;
  baselineCost: number;
  baselineMs: number;
  candidateTokens: number;
  candidateCost: number;
  candidateMs: number;
  modelVerdict: ReplayVerdict | null;
  verdict: ReplayVerdict | null;
};
