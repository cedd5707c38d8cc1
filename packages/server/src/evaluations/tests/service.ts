import type { AgentTest, AgentTestChanges, AgentTestCreate, AgentTestResult, KeptConversation } from "@foyer/contract";
import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { AgentService } from "../../agents/service.ts";
import type { ConversationService } from "../../conversations/service.ts";
import { isMissingReference } from "../../db/database-errors.ts";
import type { AgentTestRow } from "../../db/tables/evaluations.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, MAX_DETAILS, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import { createFairPool } from "../../pools/fair-pool.ts";
import type { AgentReader } from "../../versions/agent-at-version.ts";
import { readChecks } from "../checks.ts";
import type { DryRun, DryRunLog } from "../dry-run/dry-run.ts";
import { keepMessages } from "./keep-conversation.ts";
import type { createTestRunner } from "./run-test.ts";
import { type Conflict, createTestStore } from "./store.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
/** The tests that run at the same time, in this process and for each organization. */
const MAX_CONCURRENT = 32;
const MAX_CONCURRENT_PER_ORGANIZATION = 4;

export type AgentTestService = ReturnType<typeof createAgentTestService>;

type Place = { organizationId: string; agentId: string };

type Parts = {
  agents: Pick<AgentService, "get">;
  conversations: Pick<ConversationService, "existing" | "messagePages">;
  versions: Pick<AgentReader, "at">;
  dryRun: Pick<DryRun, "chooseModel">;
  runTest: ReturnType<typeof createTestRunner>;
};

type RunOptions = {
  version: number | string;
  repeat: number;
  /** all tests by default */
  testIds?: readonly string[] | undefined;
  signal: AbortSignal;
  log: DryRunLog;
};

/** Manages and runs the tests of agents. */
export function createAgentTestService({ db }: Pick<Deps, "db">, parts: Parts) {
  const { agents, conversations, versions, dryRun, runTest } = parts;
  const store = createTestStore(db);
  const slots = createFairPool({
    name: "agent_tests",
    size: MAX_CONCURRENT,
    maxPerOwner: MAX_CONCURRENT_PER_ORGANIZATION,
    maxWaitingPerOwner: 4 * MAX_CONCURRENT_PER_ORGANIZATION,
    maxWaiting: 8 * MAX_CONCURRENT,
    messages: { busy: "Too many tests are running. Try again in a moment." },
  });

  async function find({ organizationId, agentId }: Place, id: string): Promise<AgentTestRow> {
    const row = isId("test", id) ? await store.get({ organizationId, agentId, id }) : undefined;
    if (!row) throw notFound("Test");
    return row;
  }

  async function insert(place: Place, content: Omit<AgentTestRow, keyof Place | "id" | "createdAt" | "updatedAt">) {
    const now = Date.now();
    const row = { ...content, ...place, id: newId("test"), createdAt: now, updatedAt: now };
    const conflict = await store.insert(row);
    if (conflict !== null) throw toError(conflict, content.name);
    return toTest(row);
  }

  async function run(place: Place, { version, repeat, testIds, signal, log }: RunOptions): Promise<AgentTestResult[]> {
    const read = await versions.at(place, version);
    const rows = await store.list(place, { limit: agentTestLimits.tests, offset: 0 });
    const known = new Set(rows.map(({ id }) => id));
    const unknown = testIds?.find((id) => !known.has(id));
    if (unknown !== undefined) throw invalid("testIds", `${unknown} is no test of this agent`, "unknown_reference");
    const tests = testIds ? rows.filter(({ id }) => testIds.includes(id)) : rows;
    const models = tests.length > 0 ? await dryRun.chooseModel(read.agent) : null;
    if (!models) return [];
    const runs = tests.flatMap((test) =>
      Array.from({ length: repeat }, (): { test: AgentTestRow; failures: Failures } => ({ test, failures: [] })),
    );
    const queue = runs.values();
    const ended = new AbortController();
    const both = AbortSignal.any([signal, ended.signal]);
    const work = async () => {
      for (const entry of queue) {
        const once = () => runTest(entry.test, { version: read, models, signal: both, log });
        entry.failures = await slots.run({ owner: place.organizationId }, once, both);
      }
    };
    try {
      await Promise.all(Array.from({ length: MAX_CONCURRENT_PER_ORGANIZATION }, work));
    } finally {
      // When one run throws, the others end too.
      ended.abort();
    }
    const runsOf = (test: AgentTestRow) => runs.filter((entry) => entry.test === test);
    return tests.map((test) =>
      toResult(
        test,
        runsOf(test).map(({ failures }) => failures),
      ),
    );
  }

  return {
    async list(place: Place, query: { limit?: number; offset?: number }) {
      await agents.get(place.organizationId, place.agentId);
      const { limit = DEFAULT_LIMIT, offset = 0 } = query;
      const page = { limit: Math.min(limit, MAX_LIMIT), offset };
      const rows = await store.list(place, page);
      const total = await store.count(place);
      return { data: rows.map(toTest), pagination: { total, ...page }, error: null };
    },
    async get(place: Place, id: string): Promise<AgentTest> {
      return toTest(await find(place, id));
    },
    /** @throws 409 when the agent has too many tests, 400 when it has one of this name */
    async create(place: Place, input: AgentTestCreate): Promise<AgentTest> {
      await agents.get(place.organizationId, place.agentId);
      return insert(place, { ...toColumns(input), conversationId: null });
    },
    async update(place: Place, id: string, input: AgentTestChanges): Promise<AgentTest> {
      await find(place, id);
      const row = await store.update({ ...place, id }, toChanges(input));
      if (row === undefined) throw notFound("Test");
      if (typeof row === "string") throw toError(row, input.name ?? "");
      return toTest(row);
    },
    async delete(place: Place, id: string): Promise<void> {
      if (!isId("test", id) || !(await store.delete({ ...place, id }))) throw notFound("Test");
    },
    /** @throws 404 when the agent has no such conversation */
    async keep(place: Place, { conversationId, name, messageId = null }: KeptConversation): Promise<AgentTest> {
      const { organizationId, agentId } = place;
      await agents.get(organizationId, agentId);
      const conversation = await conversations.existing({ organizationId }, conversationId);
      if (conversation.agentId !== agentId) throw notFound("Conversation");
      const messages = [];
      for await (const page of conversations.messagePages(conversation.id)) messages.push(...page);
      const kept = keepMessages(messages, messageId);
      const title = name?.trim() || (await findFreeName(store, place, conversation.title));
      try {
        return await insert(place, { ...toColumns({ name: title, ...kept }), conversationId: conversation.id });
      } catch (error) {
        // The conversation was deleted in the meantime.
        throw isMissingReference(error) ? notFound("Conversation") : error;
      }
    },
    run,
    /** Runs all tests with the draft once. @throws 409 with the names of those that failed */
    async requirePassing(place: Place, options: Pick<RunOptions, "signal" | "log">): Promise<void> {
      const failed = (await run(place, { ...options, version: "draft", repeat: 1 })).filter(({ passed }) => !passed);
      if (failed.length === 0) return;
      const names = failed
        .map(({ name }) => name)
        .slice(0, MAX_DETAILS)
        .join(", ");
      const details = failed.slice(0, MAX_DETAILS).map(({ name, failures: [first] }) => ({
        path: `tests.${name}`,
        code: "invalid" as const,
        message: `${first?.check?.kind ?? "reply"}: ${first?.got ?? ""}`,
      }));
      throw new AppError("CONFLICT", `Tests of this agent fail with the draft: ${names}.`, { details });
    },
  };
}

type Failures = AgentTestResult["failures"];

/** @param runs what failed in each run */
function toResult({ id, name }: AgentTestRow, runs: readonly Failures[]): AgentTestResult {
  const passes = runs.filter((failures) => failures.length === 0).length;
  const byCheck = new Map(runs.flat().map((failure) => [JSON.stringify(failure.check), failure]));
  return {
    testId: id,
    name,
    passed: passes === runs.length,
    passes,
    runs: runs.length,
    failures: [...byCheck.values()],
  };
}

/** @throws 400 */
export function toColumns({ name, turns, checks, results }: AgentTestCreate) {
  return {
    name: readName(name),
    turns: JSON.stringify(turns),
    checks: JSON.stringify(readChecks(checks)),
    results: writeResults(results ?? {}),
  };
}

/** @throws 400 */
function toChanges({ name, turns, checks, results }: AgentTestChanges) {
  return omitUndefined({
    name: name === undefined ? undefined : readName(name),
    turns: turns && JSON.stringify(turns),
    checks: checks && JSON.stringify(readChecks(checks)),
    results: results === undefined ? undefined : writeResults(results ?? {}),
  });
}

function readName(name: string): string {
  const trimmed = name.trim();
  if (trimmed === "") throw invalid("name", "must not be blank", "required");
  return trimmed;
}

function writeResults(results: Record<string, unknown>): string {
  const text = JSON.stringify(results);
  const bytes = Buffer.byteLength(text);
  if (bytes <= agentTestLimits.resultsBytes) return text;
  const problem = `must be at most ${agentTestLimits.resultsBytes} bytes of JSON, found ${bytes}`;
  throw invalid("results", problem, "max_length");
}

async function findFreeName(store: ReturnType<typeof createTestStore>, place: Place, title: string) {
  const names = new Set(await store.listNames(place));
  // Leave room for the number.
  const base =
    title
      .trim()
      .slice(0, agentTestLimits.name - 10)
      .toWellFormed() || "Conversation";
  let name = base;
  for (let n = 2; names.has(name); n++) name = `${base} (${n})`;
  return name;
}

function toError(conflict: Conflict, name: string): AppError {
  if (conflict === "name") return invalid("name", `must be unique; the agent has a test ${name} already`, "duplicate");
  return new AppError("CONFLICT", `An agent has at most ${agentTestLimits.tests} tests. Delete one first.`);
}

/** A test as members read it. */
function toTest({ createdAt, updatedAt, ...row }: AgentTestRow): AgentTest {
  return {
    id: row.id,
    name: row.name,
    turns: JSON.parse(row.turns),
    checks: JSON.parse(row.checks),
    results: JSON.parse(row.results),
    conversationId: row.conversationId,
    createdAt: new Date(createdAt).toISOString(),
    updatedAt: new Date(updatedAt).toISOString(),
  };
}
