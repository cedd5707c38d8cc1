import type { Readable } from "node:stream";
import type {
  Conversation,
  ConversationQuery,
  ConversationStanding,
  ConversationSummary,
  FormSubmit,
  Message,
  Ownership,
  ReplyFailure,
} from "@foyer/contract";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { identityLevel } from "../agents/identity/identity-level.ts";
import { verifyVisitor } from "../agents/identity/verified-visitor.ts";
import type { AgentService } from "../agents/service.ts";
import type { ConversationCost } from "../db/tables/models.ts";
import type { RatingColumns } from "../db/tables/ratings.ts";
import type { StatusColumns } from "../db/tables/status.ts";
import type { AgentRow, ConversationRow, MessageRow, ReplyFailureRow } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { AppError, invalid, notFound } from "../errors.ts";
import { createCsvStream } from "../http/csv.ts";
import { isId } from "../ids.ts";
import { toInstants } from "../utc-day.ts";
import { determineAccess, type Proof } from "./access.ts";
import { toMessageAttachment } from "./attachments/message-attachment.ts";
import { readAttachmentNames } from "./attachments/store.ts";
import { readAnswerEmails, readHandoffRecords } from "./handoff-records.ts";
import { findSuggestions, listNotices, listToolCalls, type Piece, parsePieces } from "./message-pieces.ts";
import { createOwnershipReader, toAuthor } from "./ownership.ts";
import { toRating } from "./rating-view.ts";
import { listSearches } from "./searches.ts";
import { listCitedSources } from "./sources.ts";
import {
  type ActivityPosition,
  type ConversationFieldsRow,
  type ConversationFilter,
  type ConversationSummaryRow,
  createConversationStore,
  type ReadMessage,
  type Viewer,
} from "./store.ts";
import { readConversationTags } from "./tags/store.ts";
import { toVisitorKey } from "./visitor-key.ts";

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/**
 * A running reply updates its row every few seconds. If a row is not updated for longer than this, the process that ran
 * the reply has ended.
 */
const SILENT_MS = 30_000;

export type PagedConversation = {
  fields: Omit<Conversation, "messages">;
  messagePages: AsyncIterable<Message[]>;
};

export type ConversationService = ReturnType<typeof createConversationService>;

/** Reads conversations. */
export function createConversationService(
  deps: Pick<Deps, "db" | "reads" | "databaseKind" | "encryption">,
  agents: AgentService,
) {
  const { db, encryption } = deps;
  const store = createConversationStore(deps);
  const ownershipsOf = createOwnershipReader(db);
  const toSummaries = createSummaryReader(deps);

  async function find(viewer: Viewer, id: string) {
    return isId("conv", id) ? await store.get(viewer, id) : undefined;
  }

  async function findConversation(viewer: Viewer, id: string) {
    const row = await find(viewer, id);
    if (!row) throw notFound("Conversation");
    if ("conversationId" in viewer) await checkToken(row, viewer);
    return row;
  }

  /**
   * Checks what the signature of a token cannot prove: that a link was not revoked, and that with `requireIdentity` the
   * user to whom the conversation belongs sent the request.
   * @throws 401
   */
  async function checkToken(row: ConversationRow, { linkVersion, proof }: Extract<Viewer, { conversationId: string }>) {
    if (linkVersion !== null) {
      if (linkVersion === row.linkVersion) return;
      throw new AppError("UNAUTHORIZED", "This link was revoked.");
    }
    if (row.userId === null) return;
    const agent = await agents.getPublic(row.agentId);
    if (agent.requireIdentity === 0) return;
    const verified = await verifyVisitor(proof, agent, encryption);
    if (verified?.id === row.userId) return;
    throw new AppError(
      "IDENTITY_REQUIRED",
      "This conversation belongs to a signed-in user. Send that user's userToken in the header Foyer-User-Token, or userId and userHash in Foyer-User-Id and Foyer-User-Hash.",
    );
  }

  return {
    /** @param userId the member who makes the request, for `assignee=me` */
    async list(organizationId: string, query: ConversationQuery, userId: string | null) {
      await checkAgent(agents, organizationId, query);
      const page = { limit: Math.min(query.limit ?? DEFAULT_LIMIT, MAX_LIMIT), offset: query.offset ?? 0 };
      const isByActivity = query.sort === "activity";
      const after = readActivityPosition(query);
      const options = { ...page, isByActivity, ...omitUndefined({ after }) };
      const { rows, total } = await store.list(organizationId, toFilter(query, userId), options);
      const pagination = { total, ...page, ...(isByActivity ? { cursor: toCursor(rows, page.limit) } : {}) };
      return { data: await toSummaries(organizationId, rows), pagination };
    },
    /** All matching conversations as a CSV file, newest first. */
    async csv(organizationId: string, query: ConversationQuery, userId: string | null): Promise<Readable> {
      await checkAgent(agents, organizationId, query);
      const pages = store.summaryPages(organizationId, toFilter(query, userId));
      return createCsvStream(
        csvColumns,
        toCsvRows(pages, {
          toSummaries: (rows) => toSummaries(organizationId, rows),
          namesOf: (rows) =>
            readAttachmentNames(
              db,
              organizationId,
              rows.map(({ id }) => id),
            ),
        }),
      );
    },
    /** The ids of the conversations that a query finds, newest first, from before the id `before` on. */
    findIds: (
      { organizationId, userId }: { organizationId: string; userId: string },
      query: ConversationQuery,
      page: { before: string | null; limit: number },
    ): Promise<string[]> => store.findIds(organizationId, toFilter(query, userId), page),
    /** Returns who handles the conversation. With `isMember`, the result includes what only members may see. */
    ownershipOf: async (row: ConversationRow, isMember: boolean): Promise<Ownership> =>
      (await ownershipsOf([row], isMember))(row),
    ownershipsOf,
    /** For members: the status, and who has the conversation. */
    standingOf: async (row: ConversationRow): Promise<ConversationStanding> => ({
      ...toStatus(row),
      ...(await ownershipsOf([row], true))(row),
    }),
    find,
    /** Throws 404 when the conversation does not exist or the viewer must not see it. */
    existing: findConversation,
    /** What a submission may do in the agent's conversation that it names. */
    async standingIn(agent: AgentRow, named: Pick<FormSubmit, "conversationId" | "sessionId">, proof: Proof) {
      const { organizationId } = agent;
      const row = named.conversationId ? await find({ organizationId }, named.conversationId) : undefined;
      return determineAccess(row, { ...proof, sessionId: named.sessionId }, { agent, encryption });
    },
    /** Returns the conversation with its messages in pages, because they can have 10 MB in total. */
    async get(viewer: Viewer, id: string): Promise<PagedConversation> {
      const row = await findConversation(viewer, id);
      const isMember = "organizationId" in viewer;
      const failures = isMember ? await store.failures(id) : [];
      const failureOf = new Map(failures.map((failure) => [failure.messageId, toFailure(failure)]));
      const isByLink = "conversationId" in viewer && viewer.linkVersion !== null;
      async function* readPages() {
        for await (const page of store.messagePages(id)) {
          // A link opens in another browser, which must not show a client's words as those of the agent.
          const shown = isByLink ? page.filter(({ isSupplied }) => isSupplied === 0) : page;
          yield shown.map((message) => ({
            ...toMessage(message, isMember),
            ...(isMember ? { failure: failureOf.get(message.id) ?? null } : {}),
          }));
        }
      }
      const consent: Conversation["consent"] = row.consent === null ? null : JSON.parse(row.consent);
      const ownership = (await ownershipsOf([row], isMember))(row);
      return {
        fields: { ...toFields(row, ownership), consent, ...(isMember ? await readTeamFields(deps, row) : {}) },
        messagePages: readPages(),
      };
    },
    /** The rows of a conversation that the caller may see, oldest first, in pages. */
    messagePages: (id: string) => store.messagePages(id),
    messagesAfter: (id: string, position: number) => toStreamedMessages(store.messagePages(id, position)),
  };
}

/** @returns the cursor of the page that follows these rows, `null` if there is none */
function toCursor(rows: readonly ConversationSummaryRow[], limit: number): string | null {
  const last = rows.at(-1);
  return last && rows.length === limit ? `${last.updatedAt}.${last.id}` : null;
}

/** @throws 400 when the cursor is not one of ours, or has no effect */
function readActivityPosition({ after, sort, offset = 0 }: ConversationQuery): ActivityPosition | undefined {
  if (after === undefined) return undefined;
  if (sort !== "activity") throw invalid("after", "requires `sort=activity`");
  if (offset > 0) throw invalid("after", "replaces `offset`, so send only one of them");
  const [, updatedAt, id = ""] = /^(\d{1,15})\.(.+)$/.exec(after) ?? [];
  if (!isId("conv", id)) throw invalid("after", "must be the `cursor` of an earlier response");
  return { updatedAt: Number(updatedAt), id };
}

/** @throws 404 when the organization has no such agent, 400 when the query has to name one */
async function checkAgent(agents: AgentService, organizationId: string, query: ConversationQuery) {
  const { agentId, handler, status, view, team, rating, unread } = query;
  if (agentId !== undefined) return void (await agents.get(organizationId, agentId));
  if ([view, status, team, rating].some((filter) => filter !== undefined) || unread === true) return;
  if (handler === undefined || handler === "agent") throw agentRequiredError();
}

/** @returns a function that extends an organization's rows with data from other tables */
function createSummaryReader({ db, encryption }: Pick<Deps, "db" | "encryption">) {
  const ownershipsOf = createOwnershipReader(db);
  return async (organizationId: string, rows: ConversationSummaryRow[]): Promise<ConversationSummary[]> => {
    const ownershipOf = await ownershipsOf(rows, true);
    const tagsOf = await readConversationTags(db, organizationId, rows);
    return rows.map((row) => ({
      ...toSummary(row, ownershipOf(row)),
      visitorKey: toVisitorKey(encryption, organizationId, row),
      tags: tagsOf(row),
    }));
  };
}

/**
 * Messages after a position, oldest first, in pages, for the live streams. `isRunning` marks a reply of the agent that
 * is not complete yet.
 */
async function* toStreamedMessages(pages: AsyncIterable<ReadMessage[]>) {
  for await (const page of pages) {
    yield page.map((row) => ({
      position: row.position,
      isRunning: row.role === "assistant" && deriveStopReason(row) === null,
      isFromMember: row.authorName !== null,
      isSupplied: row.isSupplied === 1,
      render: ({ isMember }: { isMember: boolean }) => toMessage(row, isMember),
    }));
  }
}

const csvColumns = [
  ...(["id", "title", "userName", "userEmail", "userId", "messageCount", "hasForm", "feedback"] as const),
  ...(["createdAt", "updatedAt", "tags", "attachments", "score", "comment"] as const),
];

async function* toCsvRows(
  pages: AsyncIterable<ConversationSummaryRow[]>,
  {
    toSummaries,
    namesOf,
  }: {
    toSummaries(rows: ConversationSummaryRow[]): Promise<ConversationSummary[]>;
    namesOf(rows: ConversationSummaryRow[]): ReturnType<typeof readAttachmentNames>;
  },
) {
  for await (const page of pages) {
    const attachmentsOf = await namesOf(page);
    for (const summary of await toSummaries(page)) {
      const tags = summary.tags.map(({ name }) => name).join(", ");
      const { score, comment } = summary.rating ?? { score: null, comment: null };
      const cells = { ...summary, tags, attachments: attachmentsOf(summary.id).join(", "), score, comment };
      yield csvColumns.map((name) => String(cells[name] ?? ""));
    }
  }
}

/** @param caller the member who makes the request; no conversations are assigned to an API key */
function toFilter(
  {
    agentId,
    handler,
    status,
    assignee,
    userId,
    q,
    feedback,
    rating,
    hasForm,
    failed,
    test,
    tag,
    team,
    unread,
    from,
    to,
  }: ConversationQuery,
  caller: string | null,
): ConversationFilter {
  return {
    ...omitUndefined({
      agentId,
      handler,
      status,
      userId,
      q: q || undefined,
      feedback,
      rating,
      hasForm,
      failed,
      test,
      tag,
      team,
      unread,
    }),
    ...(assignee === undefined ? {} : { assigneeId: assignee === "me" ? (caller ?? "") : assignee }),
    ...toInstants({ from, to }),
  };
}

function toSummary(row: ConversationSummaryRow, ownership: Ownership): Omit<ConversationSummary, "tags"> {
  return {
    ...toFields(row, ownership),
    ...toStatus(row),
    hasForm: Boolean(row.hasForm),
    ...(row.match === undefined ? {} : { match: row.match === null ? null : toOneLine(row.match) }),
    feedback: row.feedback,
    rating: toRating(row),
    lastMessage: toPreview(row),
    cost: row.cost,
    unknownCostReplies: row.unknownCostReplies,
    isUnread: row.isTest === 0 && row.lastMessageAt !== null && row.lastMessageAt > (row.readAt ?? 0),
    hasFailedReply: Boolean(row.hasFailedReply),
  };
}

function toStatus({ status, snoozedUntil, resolvedAt }: StatusColumns) {
  return {
    status,
    snoozedUntil: snoozedUntil === null ? null : new Date(snoozedUntil).toISOString(),
    resolvedAt: resolvedAt === null ? null : new Date(resolvedAt).toISOString(),
  };
}

function agentRequiredError() {
  const message =
    "is required unless `handler` is `waiting` or `human`, or there is a `status`, a `team`, a `rating` or `unread=true`";
  return invalid("agentId", message, "required");
}

function toOneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim().toWellFormed();
}

type PreviewColumns = Pick<ConversationRow, "lastMessageRole" | "lastMessagePreview" | "lastMessageAt">;

/** The newest message that has text. */
export function toPreview({ lastMessageRole: role, lastMessagePreview: text, lastMessageAt: at }: PreviewColumns) {
  return role !== null && text !== null && at !== null ? { role, text, at: new Date(at).toISOString() } : null;
}

function toFields(row: ConversationFieldsRow, ownership: Ownership): Omit<Conversation, "consent" | "messages"> {
  return {
    id: row.id,
    agentId: row.agentId,
    title: row.title,
    messageCount: row.messageCount,
    userId: row.userId,
    userEmail: row.userEmail,
    userName: row.userName,
    userVerified: row.isUserVerified === 1,
    identity: identityLevel({
      isVerified: row.isUserVerified === 1,
      claimed: [row.userId, row.userEmail, row.userName],
    }),
    isTest: row.isTest === 1,
    context: row.context === null ? null : JSON.parse(row.context),
    ...ownership,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

/** For members only, because a site may put facts into a token that its visitors must not read here. */
async function readTeamFields(
  { db, encryption }: Pick<Deps, "db" | "encryption">,
  row: ConversationRow & ConversationCost & RatingColumns & { readAt: number | null },
) {
  const { verifiedVisitor, userMetadata, epoch, cost, unknownCostReplies } = row;
  return {
    ...toStatus(row),
    rating: toRating(row),
    cost,
    unknownCostReplies,
    readAt: row.readAt === null ? null : new Date(row.readAt).toISOString(),
    visitorKey: toVisitorKey(encryption, row.organizationId, row),
    visitor: verifiedVisitor === null ? null : JSON.parse(verifiedVisitor),
    userMetadata: userMetadata === null ? null : JSON.parse(userMetadata),
    tags: (await readConversationTags(db, row.organizationId, [row]))(row),
    // The conversation has always been with its agent, as most are, so there is nothing to read.
    handoffs: epoch === 0 ? [] : await readHandoffRecords(db, row),
    answerEmails: epoch === 0 ? [] : await readAnswerEmails(db, row),
  };
}

function toFailure(row: ReplyFailureRow): ReplyFailure {
  return {
    code: row.code,
    message: row.message,
    provider: row.provider,
    model: row.model,
    providerStatus: row.providerStatus,
    at: new Date(row.at).toISOString(),
  };
}

function listRemovedLinks({ removedLinks }: Pick<MessageRow, "removedLinks">) {
  const hosts: string[] = removedLinks === null ? [] : JSON.parse(removedLinks);
  return hosts.map((host) => ({ host }));
}

/** The fields of a message that visitors do not see. */
function toMemberFields(row: MessageRow, pieces: Piece[]) {
  return {
    page: row.page === null ? null : JSON.parse(row.page),
    searches: listSearches(pieces),
    removedLinks: listRemovedLinks(row),
    feedbackComment: row.feedbackComment,
    ...(row.role === "assistant" && row.authorName === null ? toModelFields(row) : {}),
  };
}

/** What wrote a reply, and what it used. */
function toModelFields(row: MessageRow) {
  const { inputTokens, cachedInputTokens, outputTokens, model, fallbackFrom, agentVersion, cost } = row;
  const isCounted = inputTokens !== null && outputTokens !== null;
  return {
    model,
    fallbackFrom,
    agentVersion,
    usage: isCounted ? { inputTokens, cachedInputTokens: cachedInputTokens ?? 0, outputTokens } : null,
    cost,
  };
}

export function toMessage(row: ReadMessage, isMember: boolean): Message {
  // Parse the pieces only once, because the pieces of a conversation can have several megabytes.
  const pieces = row.pieces ? parsePieces(row) : [];
  return {
    id: row.id,
    role: row.role,
    author: toAuthor(row, isMember),
    content: row.content,
    ...(row.isSupplied === 1 ? { isSupplied: true } : {}),
    createdAt: new Date(row.createdAt).toISOString(),
    attachments: row.attachments.map(toMessageAttachment),
    notices: listNotices(pieces),
    toolCalls: listToolCalls(pieces, { isMember }),
    sources: listCitedSources(pieces),
    suggestions: findSuggestions(pieces),
    feedback: row.feedback,
    stopReason: deriveStopReason(row),
    ...(isMember ? toMemberFields(row, pieces) : {}),
  };
}

/** How a reply ended; `null` while it runs, here or in another process. */
export function deriveStopReason(row: MessageRow, now = Date.now()): Message["stopReason"] {
  if (row.role === "user") return null;
  const isLost = row.stopReason === null && now - row.updatedAt > SILENT_MS;
  return isLost ? "aborted" : (row.stopReason as Message["stopReason"]);
}
