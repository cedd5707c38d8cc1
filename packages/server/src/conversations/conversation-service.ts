import type { Conversation, ConversationQuery, ConversationSummary, Message, Rating } from "@foyer/contract";
import type { AgentService } from "../agents/agent-service.ts";
import type { MessageRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { isId } from "../ids.ts";
import { instantsOf } from "../utc-day.ts";
import {
  type ConversationFieldsRow,
  type ConversationFilter,
  type ConversationSummaryRow,
  createConversationStore,
  type Viewer,
} from "./conversation-store.ts";
import { fromColumns, toolCallsOf } from "./message-pieces.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** A running reply gives a sign of life every few seconds; one silent for longer died with its process. */
const SILENT_MS = 30_000;

export type ConversationService = ReturnType<typeof createConversationService>;

export function createConversationService({ db }: Pick<Deps, "db">, agents: AgentService) {
  const store = createConversationStore(db);

  async function existing(viewer: Viewer, id: string) {
    const row = isId("conv", id) ? await store.get(viewer, id) : undefined;
    if (!row) throw notFound("Conversation");
    return row;
  }

  return {
    async list(organizationId: string, query: ConversationQuery) {
      await agents.get(organizationId, query.agentId);
      const limit = Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
      const offset = query.offset ?? 0;
      const { rows, total } = await store.list(organizationId, query.agentId, toFilter(query), limit, offset);
      return { data: rows.map(toSummary), pagination: { total, limit, offset } };
    },
    /** 404 when the viewer may not see it, or there is none. */
    existing,
    async get(viewer: Viewer, id: string): Promise<Conversation> {
      const row = await existing(viewer, id);
      return { ...toFields(row), messages: (await store.messages(id)).map((message) => toMessage(message)) };
    },
    async delete(organizationId: string, id: string): Promise<void> {
      if (!isId("conv", id) || !(await store.delete(organizationId, id))) throw notFound("Conversation");
    },
    async rate(viewer: Viewer, id: string, messageId: string, rating: Rating): Promise<void> {
      await existing(viewer, id);
      if (!isId("msg", messageId) || !(await store.rate(id, messageId, rating))) throw notFound("Message");
    },
  };
}

function toFilter({ userId, q, feedback, hasForm, from, to }: ConversationQuery): ConversationFilter {
  return {
    ...(userId === undefined ? {} : { userId }),
    ...(q === undefined || q === "" ? {} : { q }),
    ...(feedback === undefined ? {} : { feedback }),
    ...(hasForm === undefined ? {} : { hasForm }),
    ...instantsOf({ from, to }),
  };
}

function toSummary(row: ConversationSummaryRow): ConversationSummary {
  return { ...toFields(row), hasForm: Boolean(row.hasForm), feedback: row.feedback };
}

function toFields(row: ConversationFieldsRow): Omit<Conversation, "messages"> {
  return {
    id: row.id,
    agentId: row.agentId,
    title: row.title,
    messageCount: row.messageCount,
    userId: row.userId,
    userEmail: row.userEmail,
    userName: row.userName,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

function toMessage(row: MessageRow): Message {
  return {
    id: row.id,
    role: row.role,
    content: row.content,
    createdAt: new Date(row.createdAt).toISOString(),
    toolCalls: row.pieces ? toolCallsOf(fromColumns(row)) : [],
    feedback: row.feedback,
    stopReason: stopReasonOf(row),
  };
}

/** How a reply ended; `null` while it runs, here or in another process. */
export function stopReasonOf(row: MessageRow, now = Date.now()): Message["stopReason"] {
  if (row.role === "user") return null;
  const isLost = row.stopReason === null && now - row.updatedAt > SILENT_MS;
  return isLost ? "aborted" : (row.stopReason as Message["stopReason"]);
}
