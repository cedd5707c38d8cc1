import { type Compilable, type RawBuilder, type SelectQueryBuilder, sql } from "kysely";
import { selectAgentIds } from "../db/agents-of.ts";
import { takeWithinBytes } from "../db/page-bytes.ts";
import { readPagesById } from "../db/pages-by-id.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import type { Batch } from "./batch.ts";

const PAGE_ROWS = 500;
/** The maximum size of the events and responses that are in memory at a time. */
const PAGE_BYTES = 4 * 1024 * 1024;
/** The number of deliveries in a page. A delivery can have several attempts, each with a response of 16 KB. */
const PAGE_DELIVERIES = 50;

type ReadDeps = Pick<Deps, "db" | "reads">;
type Run = <Row>(query: Compilable<Row>) => Promise<Row[]>;

/**
 * Reads the rows of a batch, as they are exported. A batch can have very many rows, and each event a whole transcript,
 * so they are read in pages and in the background.
 */
export function createExportedRows({ db, reads }: ReadDeps, organizationId: string) {
  const run: Run = (query) => reads.run(query, { lane: "list", owner: organizationId });

  /** The events of a batch. An event about a submission belongs to the submission, even within a conversation. */
  function* selectBatch(batch: Batch) {
    const all = db.selectFrom("events").where("events.organizationId", "=", organizationId);
    const ids = conversationIds(batch);
    if (ids.length > 0) yield all.where("events.conversationId", "in", ids).where("events.submissionId", "is", null);
    if (batch.submissionIds.length > 0) yield all.where("events.submissionId", "in", batch.submissionIds);
  }

  async function* readEvents(events: Events): AsyncGenerator<object> {
    const sizes = events
      .select(["id", sql<number>`octet_length(data)`.as("bytes")])
      .orderBy("id")
      .limit(PAGE_ROWS);
    for await (const page of readPagesById(PAGE_ROWS, (after) => run(sizes.where("id", ">", after)))) {
      for (let rest = page; rest.length > 0; ) {
        const chosen = takeWithinBytes(rest, PAGE_BYTES).map(({ id }) => id);
        const columns = ["id", "conversationId", "sequence", "type", "data", "createdAt"] as const;
        yield* await run(events.select(columns).where("id", "in", chosen).orderBy("id"));
        rest = rest.slice(chosen.length);
      }
    }
  }

  /** Deliveries with their attempts, and with the responses of the receivers. */
  async function* withAttempts(deliveries: (after: string) => Compilable<{ id: string }>): AsyncGenerator<object> {
    for await (const page of readPagesById(PAGE_DELIVERIES, (after) => run(deliveries(after)))) {
      const ids = page.map(({ id }) => id);
      const attempts = await run(
        db.selectFrom("deliveryAttempts").selectAll().where("deliveryId", "in", ids).orderBy("number"),
      );
      const byDelivery = Map.groupBy(attempts, ({ deliveryId }) => deliveryId);
      for (const row of page) {
        yield { ...row, attempts: (byDelivery.get(row.id) ?? []).map(({ deliveryId: _, ...attempt }) => attempt) };
      }
    }
  }

  const deliveryColumns = [
    "deliveries.id",
    "purpose",
    "deliveries.type",
    "host",
    "state",
    "deliveries.createdAt",
  ] as const;

  return {
    /** The requests for a person, with the email address that the visitor left. */
    async *handoffs(batch: Batch): AsyncGenerator<object> {
      const ids = conversationIds(batch);
      if (ids.length === 0) return;
      const handoffs = db
        .selectFrom("handoffs")
        .select(["id", "conversationId", "cause", "reason", "summary", "email", "note"])
        .select(["requestedAt", "promisedAt", "takenAt", "answeredAt", "endedAt", "endedBy"])
        .where("organizationId", "=", organizationId)
        .where("conversationId", "in", ids)
        .orderBy("id")
        .limit(PAGE_ROWS);
      for await (const page of readPagesById(PAGE_ROWS, (after) => run(handoffs.where("id", ">", after)))) yield* page;
    },
    /** Reads the notes that members wrote about the visitor. */
    async *notes(batch: Batch): AsyncGenerator<object> {
      const ids = conversationIds(batch);
      if (ids.length === 0) return;
      const notes = db
        .selectFrom("conversationNotes")
        .select(["id", "conversationId", "authorName", "text", "createdAt"])
        .where(notSearched("organizationId"), "=", organizationId)
        .where("conversationId", "in", ids)
        .orderBy("id")
        .limit(PAGE_ROWS);
      for await (const page of readPagesById(PAGE_ROWS, (after) => run(notes.where("id", ">", after)))) yield* page;
    },
    /** The tests that were kept from the visitor's conversations. */
    async *agentTests(batch: Batch): AsyncGenerator<object> {
      const ids = conversationIds(batch);
      if (ids.length === 0) return;
      const tests = db
        .selectFrom("agentTests")
        .select(["id", "conversationId", "name", "turns", "checks", "results", "createdAt"])
        .where(notSearched("organizationId"), "=", organizationId)
        .where("conversationId", "in", ids)
        .orderBy("id")
        .limit(PAGE_ROWS);
      for await (const page of readPagesById(PAGE_ROWS, (after) => run(tests.where("id", ">", after)))) yield* page;
    },
    async *questions(batch: Batch): AsyncGenerator<object> {
      const ids = conversationIds(batch);
      if (ids.length === 0) return;
      const questions = db
        .selectFrom("messages")
        .innerJoin("unansweredQuestions as asked", "asked.messageId", "messages.id")
        .select(["asked.messageId as id", "asked.conversationId", "asked.question", "asked.reason", "asked.at"])
        .where("asked.organizationId", "=", organizationId)
        .where("messages.conversationId", "in", ids)
        .orderBy("messages.id")
        .limit(PAGE_ROWS);
      const pages = readPagesById(PAGE_ROWS, (after) => run(questions.where("messages.id", ">", after)));
      for await (const page of pages) for (const { id: messageId, ...row } of page) yield { messageId, ...row };
    },
    async *events(batch: Batch): AsyncGenerator<object> {
      for (const events of selectBatch(batch)) yield* readEvents(events);
    },
    /** Sent events, and notices about the conversations. The deliveries of a submission are exported with it. */
    async *deliveries(batch: Batch): AsyncGenerator<object> {
      for (const events of selectBatch(batch)) {
        const sent = db
          .selectFrom("deliveries")
          .select([...deliveryColumns, "eventId"])
          .where("eventId", "in", events.select("events.id"))
          .orderBy("deliveries.id")
          .limit(PAGE_DELIVERIES);
        yield* withAttempts((after) => sent.where("deliveries.id", ">", after));
      }
      const ids = conversationIds(batch);
      if (ids.length === 0) return;
      const notices = db
        .selectFrom("deliveries")
        .select([...deliveryColumns, "deliveries.conversationId"])
        .where("deliveries.conversationId", "in", ids)
        .orderBy("deliveries.id")
        .limit(PAGE_DELIVERIES);
      yield* withAttempts((after) => notices.where("deliveries.id", ">", after));
    },
    async *triggerEvents({ sessionIds }: Batch): AsyncGenerator<object> {
      if (sessionIds.length === 0) return;
      for (let after = 0; ; ) {
        const page = db
          .selectFrom("triggerEvents")
          .select(["id", "agentId", "triggerName", "triggerType", "actionType", "eventType"])
          .select(["sessionId", "pagePath", "createdAt"])
          .where("sessionId", "in", sessionIds)
          .where(notSearched("agentId"), "in", selectAgentIds(db, organizationId))
          .where("id", ">", after)
          .orderBy("id")
          .limit(PAGE_ROWS);
        const rows = await run(page);
        for (const { id, ...row } of rows) {
          after = id;
          yield row;
        }
        if (rows.length < PAGE_ROWS) return;
      }
    },
    async *tokens({ counterKeys }: Batch): AsyncGenerator<object> {
      if (counterKeys.length === 0) return;
      const days = db
        .selectFrom("visitorDays")
        .select(["agentId", "day", "tokens"])
        .where("visitor", "in", counterKeys)
        .where("agentId", "in", selectAgentIds(db, organizationId));
      yield* await run(days);
    },
  };
}

/**
 * A column that SQLite does not search by. Without statistics, it assumes few rows per agent or organization, and reads
 * all of them for each page instead of looking up the batch.
 */
const notSearched = (column: string): RawBuilder<string> => sql<string>`${sql.ref(column)} || ''`;

const conversationIds = ({ conversations }: Batch) => conversations.map(({ id }) => id);

type Events = SelectQueryBuilder<Tables, "events", object>;
