import type { VisitorCounts } from "@foyer/contract";
import { type SelectQueryBuilder, sql } from "kysely";
import { selectAgentIds } from "../db/agents-of.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import type { Batch } from "./batch.ts";
import { createReceivers } from "./receivers.ts";

/** Measures the data that belongs to a batch besides its rows, and finds who received it. */
export function createMeasures({ db, reads }: Pick<Deps, "db" | "reads">) {
  return {
    counts: createCounts({ db, reads }),
    receiversOf: createReceivers({ db, reads }),
  };
}

type Counted = Exclude<keyof VisitorCounts, "conversations" | "submissions">;

/** Counts the data of a batch, by kind. */
function createCounts({ db, reads }: Pick<Deps, "db" | "reads">) {
  return async (organizationId: string, batch: Batch): Promise<Record<Counted, number>> => {
    const { conversations, submissionIds, sessionIds, counterKeys } = batch;
    const ids = conversations.map(({ id }) => id);
    const count = async (given: readonly string[], query: () => Countable): Promise<number> => {
      if (given.length === 0) return 0;
      const counted = query().select(sql<number>`cast(count(*) as bigint)`.as("n"));
      const [row] = await reads.run(counted, { lane: "list", owner: organizationId });
      return Number(row?.n ?? 0);
    };
    const sentEvents = () => db.selectFrom("deliveries").innerJoin("events", "events.id", "deliveries.eventId");
    // SQLite does not search by the expression. It would read all of the organization's rows for each batch.
    const ofConversations = (table: "handoffs" | "conversationNotes") =>
      db
        .selectFrom(table)
        .where(sql`"organizationId" || ''`, "=", organizationId)
        .where("conversationId", "in", ids) as Countable;
    const messages = () => db.selectFrom("messages").where("messages.conversationId", "in", ids);
    return {
      messages: await count(ids, () => messages() as Countable),
      handoffs: await count(ids, () => ofConversations("handoffs")),
      notes: await count(ids, () => ofConversations("conversationNotes")),
      unansweredQuestions: await count(
        ids,
        () => messages().innerJoin("unansweredQuestions", "unansweredQuestions.messageId", "messages.id") as Countable,
      ),
      files: await count(
        submissionIds,
        () => db.selectFrom("submissionFiles").where("submissionId", "in", submissionIds) as Countable,
      ),
      attachments: await count(ids, () => db.selectFrom("attachments").where("conversationId", "in", ids) as Countable),
      agentTests: await count(ids, () => db.selectFrom("agentTests").where("conversationId", "in", ids) as Countable),
      deliveries:
        (await count(
          submissionIds,
          () => db.selectFrom("deliveries").where("submissionId", "in", submissionIds) as Countable,
        )) +
        (await count(ids, () => db.selectFrom("deliveries").where("conversationId", "in", ids) as Countable)) +
        (await count(
          submissionIds,
          () => sentEvents().where("events.submissionId", "in", submissionIds) as Countable,
        )) +
        (await count(
          ids,
          () =>
            sentEvents()
              .where("events.conversationId", "in", ids)
              .where("events.submissionId", "is", null) as Countable,
        )),
      // An event about a submission counts towards the submission, even within a conversation.
      events:
        (await count(
          submissionIds,
          () => db.selectFrom("events").where("submissionId", "in", submissionIds) as Countable,
        )) +
        (await count(
          ids,
          () =>
            db.selectFrom("events").where("conversationId", "in", ids).where("submissionId", "is", null) as Countable,
        )),
      triggerEvents: await count(
        sessionIds,
        () =>
          db
            .selectFrom("triggerEvents")
            .where("sessionId", "in", sessionIds)
            .where("agentId", "in", selectAgentIds(db, organizationId)) as Countable,
      ),
      tokenCounters: await count(
        counterKeys,
        () =>
          db
            .selectFrom("visitorDays")
            .where("visitor", "in", counterKeys)
            .where("agentId", "in", selectAgentIds(db, organizationId)) as Countable,
      ),
    };
  };
}

type Countable = SelectQueryBuilder<Tables, keyof Tables, object>;
