import { setImmediate as nextTurn } from "node:timers/promises";
import type { ConversationQuery } from "@foyer/contract";
import { maxSearchTotal } from "@foyer/contract/rules/limits";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import { type ExpressionBuilder, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import type { IdentityProof } from "../agents/identity/verified-visitor.ts";
import { compileOnce } from "../db/compiled-query.ts";
import { containsText } from "../db/contains-text.ts";
import type { DatabaseKind } from "../db/database-kind.ts";
import { isVisible, notInTrash } from "../db/deleted-agents.ts";
import type { Db } from "../db/open.ts";
import { takeWithinBytes } from "../db/page-bytes.ts";
import type { AttachmentRow } from "../db/tables/attachments.ts";
import type { Flag, Instant } from "../db/tables/column-types.ts";
import type { ConversationCost } from "../db/tables/models.ts";
import type { RatingColumns } from "../db/tables/ratings.ts";
import type { StatusColumns } from "../db/tables/status.ts";
import type { ConversationRow, MessageRow, ReplyFailureRow, Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import { readMessageAttachments } from "./attachments/store.ts";
import { messageBytes } from "./message-bytes.ts";
import { hasText, prepareTextSearch, type TextSearch } from "./search/find-text.ts";

/**
 * The number of bytes that are read and rendered between two turns of the event loop, which takes a few milliseconds.
 */
const PAGE_BYTES = 256 * 1024;
const PAGE_MESSAGES = 200;
const PAGE_CONVERSATIONS = 500;
/** The number of rows before a page that an index can skip in about a millisecond. */
const FAR_OFFSET = 10_000;

/** Only the columns that the list shows, because a visitor's metadata can be large. */
const summaryColumns = [
  "id",
  "agentId",
  "title",
  "messageCount",
  "sessionId",
  "userId",
  "userEmail",
  "userName",
  "isUserVerified",
  "isTest",
  "context",
  "handler",
  "epoch",
  "assigneeId",
  "lastMessageRole",
  "lastMessagePreview",
  "lastMessageAt",
  "createdAt",
  "updatedAt",
] as const;
const listColumns = [
  ...summaryColumns,
  "status",
  "snoozedUntil",
  "resolvedAt",
  "ratingScore",
  "ratingComment",
  "ratedAt",
  "readAt",
  "cost",
  "unknownCostReplies",
] as const;
export type ConversationFieldsRow = Pick<ConversationRow, (typeof summaryColumns)[number]>;
export type ConversationSummaryRow = ConversationFieldsRow &
  StatusColumns &
  ConversationCost &
  Pick<RatingColumns, "ratingScore" | "ratingComment" | "ratedAt"> & {
    readAt: Instant | null;
    hasForm: boolean | Flag;
    feedback: MessageRow["feedback"];
    hasFailedReply: boolean | Flag;
    /** only for a search */
    match?: string | null;
  };

/**
 * Who may see a conversation: its organization, or the holder of its token or of a link to it. `linkVersion` is null for
 * the token.
 */
export type Viewer =
  | {
      organizationId: string;
      /** for exports, which include what is stored in the trash */
      seesTrash?: true;
    }
  | { conversationId: string; linkVersion: number | null; proof: IdentityProof };

/** A message with its attachments. */
export type ReadMessage = MessageRow & { attachments: readonly AttachmentRow[] };

export type ConversationFilter = Omit<
  ConversationQuery,
  "assignee" | "from" | "to" | "format" | "sort" | "limit" | "offset" | "after" | "view"
> & {
  /** a user id, or `none` */
  assigneeId?: string;
  /** milliseconds; `from` is inclusive, `to` exclusive */
  from?: number;
  to?: number;
};

/** The last conversation of the previous page, in the order of the latest activity. */
export type ActivityPosition = { updatedAt: Instant; id: string };

type Page = { limit: number; offset: number; isByActivity?: boolean; after?: ActivityPosition };

export function createConversationStore({ db, reads, databaseKind }: Pick<Deps, "db" | "reads" | "databaseKind">) {
  const { firstPage, total } = pageQueries(db);
  return {
    /**
     * Newest first, or by the latest activity. Without filters the total comes from a counter; with filters the matches
     * are counted.
     */
    async list(
      organizationId: string,
      { agentId, ...filter }: ConversationFilter,
      { limit, offset, isByActivity = false, after }: Page,
    ) {
      const isFiltered = Object.values(filter).some((value) => value !== undefined);
      if (agentId !== undefined && !isFiltered && !isByActivity && offset < FAR_OFFSET) {
        const page = await firstPage(db, { agentId, organizationId, limit, offset });
        const counted = await total(db, { agentId });
        return { rows: page.rows, total: counted.rows[0]?.conversations ?? 0 };
      }
      const visible = db
        .selectFrom("conversations")
        .where("organizationId", "=", organizationId)
        .where(isVisible("conversations"));
      if (agentId !== undefined && !isFiltered && isByActivity) {
        const ids = findIdsByActivity(db, agentId, { limit, offset, ...omitUndefined({ after }) });
        const page = visible.where("id", "in", ids).select(listColumns).select(summaryExtras);
        const rows: ConversationSummaryRow[] = await reads.run(
          page.orderBy("updatedAt", "desc").orderBy("id", "desc"),
          { lane: "list", owner: organizationId },
        );
        const counted = await total(db, { agentId });
        return { rows, total: counted.rows[0]?.conversations ?? 0 };
      }
      const search = await prepareSearch({ db, reads, databaseKind }, organizationId, filter);
      const matching = visible.$call(
        matches({ ...filter, ...omitUndefined({ agentId }) }, { kind: databaseKind, organizationId, search }),
      );
      const inOrder = <Row>(query: SelectQueryBuilder<Tables, "conversations", Row>) =>
        query
          .$if(isByActivity, (x) => x.orderBy("updatedAt", "desc"))
          .$if(!isByActivity && filter.handler === "waiting", (x) => x.orderBy("waitingSince"))
          .$if(!isByActivity && filter.handler === "human", (x) => x.orderBy("changedAt", "desc"))
          .orderBy("id", "desc");
      const options = { lane: search === null ? "list" : "search", owner: organizationId } as const;
      const inPlace = matching
        .select("conversations.id")
        .$if(after !== undefined, (query) => query.where(isBefore(after)))
        .$call(inOrder);
      // Finding all matches of a text that are counted costs little more than finding the page.
      const found =
        search === null || after !== undefined
          ? null
          : await reads.run(inPlace.limit(Math.max(maxSearchTotal, offset + limit)), options);
      // SQLite computes all columns of all matches before it sorts them, so the page is found by its ids first.
      const ids = found?.slice(offset, offset + limit).map(({ id }) => id) ?? inPlace.limit(limit).offset(offset);
      const page = visible
        .where("conversations.id", "in", ids)
        .select(listColumns)
        .select(summaryExtras)
        .$if(filter.q !== undefined, (query) => query.select(selectFirstMatch(databaseKind, filter.q ?? "")))
        .$call(inOrder);
      const rows: ConversationSummaryRow[] =
        found !== null && found.length <= offset ? [] : await reads.run(page, options);
      if (found !== null) return { rows, total: Math.min(found.length, maxSearchTotal) };
      const counting = matching
        .select(sql.lit(1).as("found"))
        .$if(search !== null, (query) => query.limit(maxSearchTotal));
      const [counted] = await reads.run(
        db.selectFrom(counting.as("matches")).select((x) => x.fn.countAll<number>().as("n")),
        options,
      );
      return { rows, total: Number(counted?.n ?? 0) };
    },
    summaryPages: (organizationId: string, filter: ConversationFilter) =>
      readSummaryPages({ db, reads, databaseKind }, organizationId, filter),
    /** The ids of matches, newest first, from before the id `before` on. */
    findIds: (organizationId: string, filter: ConversationFilter, page: { before: string | null; limit: number }) =>
      findMatchingIds({ db, reads, databaseKind }, organizationId, { ...page, filter }),
    async get(
      viewer: Viewer,
      id: string,
    ): Promise<(ConversationRow & ConversationCost & RatingColumns & { readAt: Instant | null }) | undefined> {
      return db
        .selectFrom("conversations")
        .selectAll()
        .where("id", "=", id)
        .where(isVisibleTo(viewer))
        .$if(!("seesTrash" in viewer), (query) => query.where(isVisible("conversations")))
        .executeTakeFirst();
    },
    /** @param after a position; only messages after it are read */
    messagePages: (conversationId: string, after = -1) => readMessagePages(db, conversationId, after),
    async failures(conversationId: string): Promise<ReplyFailureRow[]> {
      return db
        .selectFrom("replyFailures")
        .selectAll()
        .where("conversationId", "=", conversationId)
        .where("isAnswered", "=", 0)
        .execute();
    },
  };
}

async function prepareSearch(
  deps: Pick<Deps, "db" | "reads" | "databaseKind">,
  organizationId: string,
  { q }: Pick<ConversationFilter, "q">,
): Promise<TextSearch | null> {
  return q === undefined ? null : prepareTextSearch(deps, organizationId, q);
}

async function findMatchingIds(
  { db, reads, databaseKind }: Pick<Deps, "db" | "reads" | "databaseKind">,
  organizationId: string,
  { filter, before, limit }: { filter: ConversationFilter; before: string | null; limit: number },
): Promise<string[]> {
  const search = await prepareSearch({ db, reads, databaseKind }, organizationId, filter);
  const page = db
    .selectFrom("conversations")
    .where("organizationId", "=", organizationId)
    .where(isVisible("conversations"))
    .$call(matches(filter, { kind: databaseKind, organizationId, search }))
    .$if(before !== null, (query) => query.where("id", "<", before ?? ""))
    .select("id")
    .orderBy("id", "desc")
    .limit(limit);
  const lane = filter.q === undefined ? "list" : "search";
  return (await reads.run(page, { lane, owner: organizationId })).map(({ id }) => id);
}

/** All matches in pages, newest first. Conversations that start in the meantime are not included. */
async function* readSummaryPages(
  { db, reads, databaseKind }: Pick<Deps, "db" | "reads" | "databaseKind">,
  organizationId: string,
  filter: ConversationFilter,
) {
  const options = { lane: filter.q === undefined ? "list" : "search", owner: organizationId } as const;
  const search = await prepareSearch({ db, reads, databaseKind }, organizationId, filter);
  for (let before: string | undefined; ; ) {
    const page = db
      .selectFrom("conversations")
      .where("organizationId", "=", organizationId)
      .where(isVisible("conversations"))
      .$call(matches(filter, { kind: databaseKind, organizationId, search }))
      .$if(before !== undefined, (query) => query.where("id", "<", before ?? ""))
      .select(listColumns)
      .select(summaryExtras)
      .orderBy("id", "desc")
      .limit(PAGE_CONVERSATIONS);
    const rows: ConversationSummaryRow[] = await reads.run(page, options);
    yield rows;
    before = rows.at(-1)?.id;
    if (rows.length < PAGE_CONVERSATIONS) return;
  }
}

/** Oldest first. A page has as many messages as fit into `PAGE_BYTES`, but at least one. */
async function* readMessagePages(db: Db, conversationId: string, start: number): AsyncGenerator<ReadMessage[]> {
  const messages = db.selectFrom("messages").where("conversationId", "=", conversationId).orderBy("position");
  for (let after = start; ; ) {
    // Both databases report the size of a text in bytes without reading it.
    const sizes = await messages
      .select(["position", messageBytes.as("bytes")])
      .where("position", ">", after)
      .limit(PAGE_MESSAGES)
      .execute();
    const last = takeWithinBytes(sizes, PAGE_BYTES).at(-1);
    if (!last) return;
    const rows = await messages
      .selectAll()
      .where("position", ">", after)
      .where("position", "<=", last.position)
      .execute();
    // Receiving a message with megabytes of tool results takes as long as parsing them, which the caller does next, so
    // let other requests run in between.
    if (last.bytes > PAGE_BYTES) await nextTurn();
    const attachments = await readMessageAttachments(
      db,
      conversationId,
      rows.map(({ id }) => id),
    );
    yield rows.map((row) => ({ ...row, attachments: attachments.get(row.id) ?? [] }));
    after = last.position;
  }
}

/**
 * Conversations with a form submission. A visitor can name any conversation, so the submission's agent must also match.
 */
const submitted = sql`select 1 from submissions where submissions."conversationId" = conversations.id
  and submissions."agentId" = conversations."agentId"`;

/** Selects what follows a position in the order of the latest activity. */
function isBefore({ updatedAt, id }: ActivityPosition = { updatedAt: 0, id: "" }) {
  return sql<boolean>`("updatedAt", id) < (${updatedAt}, ${id})`;
}

/** The ids of a page by activity. They are read from the index alone, so rows before the page cost little. */
function findIdsByActivity(db: Db, agentId: string, { limit, offset, after }: Page) {
  return db
    .selectFrom("conversations as own")
    .select("own.id")
    .where("own.agentId", "=", agentId)
    .where(notInTrash("own.id"))
    .$if(after !== undefined, (query) => query.where(isBefore(after)))
    .orderBy("own.updatedAt", "desc")
    .orderBy("own.id", "desc")
    .limit(limit)
    .offset(offset);
}

/** Matches the condition of the partial index on these conversations. */
const isUnread = sql<boolean>`"lastMessageAt" > coalesce("readAt", 0) and "isTest" = 0`;

/** Matches the condition of the partial index on these conversations. */
const isHandedOver = sql<boolean>`handler <> 'agent'`;

const hasSubmission = sql<boolean>`exists (${submitted})`;

const failed = sql`select 1 from "replyFailures"
  where "replyFailures"."conversationId" = conversations.id and "replyFailures"."isAnswered" = 0`;

const summaryExtras = [
  sql<boolean | Flag>`(${failed} limit 1) is not null`.as("hasFailedReply"),
  // Only for the few rows of a page. With `exists`, PostgreSQL might read every submission.
  sql<boolean | Flag>`(${submitted} limit 1) is not null`.as("hasForm"),
  sql<MessageRow["feedback"]>`(select feedback from messages where messages."conversationId" = conversations.id
    and feedback is not null order by position desc limit 1)`.as("feedback"),
];

/** The queries that run for every page of the inbox. */
function pageQueries(db: Db) {
  const firstPage = compileOnce<
    { agentId: string; organizationId: string; limit: number; offset: number },
    ConversationSummaryRow
  >((param) =>
    db
      .selectFrom("conversations")
      .select(listColumns)
      .select(summaryExtras)
      .where("organizationId", "=", param("organizationId"))
      // Rows before the page are skipped using the index alone.
      .where("id", "in", (where) =>
        where
          .selectFrom("conversations as own")
          .select("own.id")
          .where("own.agentId", "=", param("agentId"))
          .where(notInTrash("own.id"))
          .orderBy("own.id", "desc")
          .limit(param("limit"))
          .offset(param("offset")),
      )
      .orderBy("id", "desc"),
  );
  const total = compileOnce<{ agentId: string }, { conversations: number }>((param) =>
    db.selectFrom("agentCounters").select("conversations").where("agentId", "=", param("agentId")),
  );
  return { firstPage, total };
}

function isVisibleTo(viewer: Viewer) {
  return (where: ExpressionBuilder<Tables, "conversations">) =>
    "organizationId" in viewer
      ? where("organizationId", "=", viewer.organizationId)
      : where("conversations.id", "=", viewer.conversationId);
}

function matches(
  {
    agentId,
    handler,
    status,
    assigneeId,
    userId,
    feedback,
    rating,
    hasForm,
    failed: hasFailed,
    test,
    tag,
    team,
    unread,
    from,
    to,
  }: ConversationFilter,
  { kind, organizationId, search }: { kind: DatabaseKind; organizationId: string; search: TextSearch | null },
) {
  return <Row>(query: SelectQueryBuilder<Tables, "conversations", Row>) =>
    query
      .$if(agentId !== undefined, (x) => x.where("agentId", "=", agentId ?? ""))
      .$if(handler !== undefined, (x) => x.where("handler", "=", handler ?? "agent"))
      .$if(handler === "waiting" || handler === "human", (x) => x.where(isHandedOver))
      // Written as a literal, because SQLite uses a partial index only for a query with the same condition.
      .$if(status !== undefined, (x) => x.where(sql<boolean>`status = ${sql.lit(status ?? "open")}`))
      .$if(assigneeId !== undefined, (x) =>
        assigneeId === "none" ? x.where("assigneeId", "is", null) : x.where("assigneeId", "=", assigneeId ?? ""),
      )
      .$if(team !== undefined, (x) => x.where("teamId", "=", team ?? null))
      .$if(userId !== undefined, (x) => x.where("userId", "=", userId ?? null))
      .$if(from !== undefined, (x) => x.where("createdAt", ">=", from ?? 0))
      .$if(to !== undefined, (x) => x.where("createdAt", "<", to ?? 0))
      .$if(hasForm !== undefined, (x) => x.where(hasForm ? hasSubmission : sql<boolean>`not ${hasSubmission}`))
      .$if(hasFailed !== undefined, (x) =>
        x.where(hasFailed ? sql<boolean>`exists (${failed})` : sql<boolean>`not exists (${failed})`),
      )
      .$if(test !== undefined, (x) => x.where("isTest", "=", test ? 1 : 0))
      .$if(unread !== undefined, (x) => x.where(unread ? isUnread : sql<boolean>`coalesce(not ${isUnread}, true)`))
      .$if(tag !== undefined, (x) => x.where("conversations.id", "in", taggedWith(organizationId, tag ?? "")))
      .$if(rating !== undefined, (x) => x.where(hasRating(rating ?? "any")))
      .$if(feedback !== undefined, (x) => x.where(hasMessage(sql`feedback = ${feedback}`)))
      .$if(search !== null, (x) => (search === null ? x : x.where(hasText(kind, search))));
}

/** @param rating `any`, `none`, or scores that are separated by commas */
function hasRating(rating: string) {
  if (rating === "none") return sql<boolean>`"ratedAt" is null`;
  // Matches the condition of the partial index on rated conversations.
  if (rating === "any") return sql<boolean>`"ratedAt" is not null`;
  return sql<boolean>`"ratedAt" is not null and "ratingScore" in (${sql.join(rating.split(",").map(Number))})`;
}

function hasMessage(condition: RawBuilder<unknown>) {
  return sql<boolean>`exists (select 1 from messages where messages."conversationId" = conversations.id and ${condition})`;
}

/**
 * The ids of the conversations with a tag. Selects only rows of the same organization, because anyone can send the id of
 * a tag. Comparing it with that of the conversation instead would make SQLite read the tag's rows again for each one.
 */
function taggedWith(organizationId: string, tagId: string) {
  return sql<string>`(select "conversationId" from "conversationTags" as tagged where tagged."tagId" = ${tagId}
    and tagged."organizationId" = ${organizationId})`;
}

/** Returns an excerpt around the first match. It is determined only for the rows of one page. */
function selectFirstMatch(kind: DatabaseKind, q: string) {
  const needle = q.toLowerCase();
  const excerpt =
    kind === "sqlite"
      ? sql`text_around(content, ${needle})`
      : sql`substr(content, greatest(1, strpos(lower(content), ${needle}) - 60), 200)`;
  return sql<string | null>`(select ${excerpt} from messages where messages."conversationId" = conversations.id
    and ${containsText(kind, "content", q)} order by position limit 1)`.as("match");
}
