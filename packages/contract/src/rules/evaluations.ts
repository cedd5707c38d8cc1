/** The limits of the tests of an agent. */
export const agentTestLimits = {
  tests: 200,
  name: 120,
  turns: 20,
  turnCharacters: 8_000,
  checks: 20,
  textCharacters: 2_000,
  /** tools whose answers a test gives */
  results: 50,
  /** the results of tools, as JSON */
  resultsBytes: 65_536,
  repeat: 10,
  /** runs of an organization that wait or run at the same time */
  running: 20,
  /** the newest runs of an agent that are kept */
  keptRuns: 50,
} as const;

/** The limits of replays. */
export const replayLimits = {
  /** conversations in the sample */
  conversations: 200,
  turns: 2_000,
  /** replays of an organization that run at the same time */
  running: 4,
  /** the newest replays of an agent that are kept */
  kept: 50,
} as const;

/** What a check of a reply looks for. */
export const checkKinds = [
  "tool_called",
  "tool_not_called",
  "says",
  "never_says",
  "language",
  "cites",
  "asks_for_person",
  "refuses",
  "max_words",
  "judge",
] as const;
export type CheckKind = (typeof checkKinds)[number];

/** How a reply of the changed version compares, from the least to the most different. */
export const replayOutcomes = ["identical", "equal", "diverged", "failed_checks"] as const;
export type ReplayOutcome = (typeof replayOutcomes)[number];
