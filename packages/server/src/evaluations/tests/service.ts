import type { AgentTest, AgentTestChanges, AgentTestCreate, KeptConversation } from "@foyer/contract";
import { agentTestLimits } from "@foyer/contract/rules/evaluations";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { AgentService } from "../../agents/service.ts";
import type { ConversationService } from "../../conversations/service.ts";
import { isMissingReference } from "../../db/database-errors.ts";
import type { AgentTestRow } from "../../db/tables/evaluations.ts";
import type { Deps } from "../../deps.ts";
import { AppError, invalid, notFound } from "../../errors.ts";
import { isId, newId } from "../../ids.ts";
import { readChecks } from "../checks.ts";
import { keepMessages } from "./keep-conversation.ts";
import { type Conflict, createTestStore } from "./store.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;

export type AgentTestService = ReturnType<typeof createAgentTestService>;

type Place = { organizationId: string; agentId: string };

type Parts = {
  agents: Pick<AgentService, "get">;
  conversations: Pick<ConversationService, "existing" | "messagePages">;
};

/** Manages the tests of agents. */
export function createAgentTestService({ db }: Pick<Deps, "db">, parts: Parts) {
  const { agents, conversations } = parts;
  const store = createTestStore(db);

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
      const kept = keepMessages(messages, messageId, await store.listTakeovers(conversation));
      const title = name?.trim() || (await findFreeName(store, place, conversation.title));
      try {
        return await insert(place, { ...toColumns({ name: title, ...kept }), conversationId: conversation.id });
      } catch (error) {
        // The conversation was deleted in the meantime.
        throw isMissingReference(error) ? notFound("Conversation") : error;
      }
    },
    /** All tests of an agent, by name. */
    all: (place: Place): Promise<AgentTestRow[]> => store.list(place, { limit: agentTestLimits.tests, offset: 0 }),
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
