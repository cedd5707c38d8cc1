import type { VisitorCounts } from "@foyer/contract";
import { type SelectQueryBuilder, sql } from "kysely";
import { agentsOf } from "../db/agents-of.ts";
import type { Tables } from "../db/tables.ts";
import type { Deps } from "../deps.ts";
import type { Batch } from "./batch.ts";

/** How much belongs to a batch besides its rows, and who had been sent it. */
export function createMeasures({ db, reads }: Pick<Deps, "db" | "reads">) {
  return {
    counts: createCounts({ db, reads }),
    receiversOf: createReceivers({ db, reads }),
  };
}

type Counted = Exclude<keyof VisitorCounts, "conversations" | "submissions">;

/** Counts what belongs to a batch, by kind. */
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
    const messages = () => db.selectFrom("messages").where("messages.conversationId", "in", ids);
    return {
      messages: await count(ids, () => messages() as Countable),
      notes: await count(ids, () => db.selectFrom("conversationNotes").where("conversationId", "in", ids) as Countable),
      unansweredQuestions: await count(
        ids,
        () => messages().innerJoin("unansweredQuestions", "unansweredQuestions.messageId", "messages.id") as Countable,
      ),
      files: await count(
        submissionIds,
        () => db.selectFrom("submissionFiles").where("submissionId", "in", submissionIds) as Countable,
      ),
      deliveries: await count(
        submissionIds,
        () => db.selectFrom("deliveries").where("submissionId", "in", submissionIds) as Countable,
      ),
      // An event about a submission belongs to the submission, also within a conversation.
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
            .where("agentId", "in", agentsOf(db, organizationId)) as Countable,
      ),
      tokenCounters: await count(
        counterKeys,
        () =>
          db
            .selectFrom("visitorDays")
            .where("visitor", "in", counterKeys)
            .where("agentId", "in", agentsOf(db, organizationId)) as Countable,
      ),
    };
  };
}

type Countable = SelectQueryBuilder<Tables, keyof Tables, object>;

type SentDelivery = { type: string; host: string; target: string };

/** The hosts and mail recipients that submissions and events were sent to. A confirmation went to the visitor. */
function createReceivers({ db, reads }: Pick<Deps, "db" | "reads">) {
  const sentDeliveries = db
    .selectFrom("deliveries")
    .select(["deliveries.type", "host", "target"])
    .distinct()
    .where("attempts", ">", 0)
    .where("purpose", "<>", "confirmation");
  return async (organizationId: string, { submissionIds, conversations }: Batch): Promise<string[]> => {
    const options = { lane: "list", owner: organizationId } as const;
    const ids = conversations.map(({ id }) => id);
    const ofEvents = sentDeliveries.innerJoin("events", "events.id", "deliveries.eventId");
    const sent: SentDelivery[] = [
      ...(submissionIds.length === 0
        ? []
        : [
            ...(await reads.run(sentDeliveries.where("submissionId", "in", submissionIds), options)),
            ...(await reads.run(ofEvents.where("events.submissionId", "in", submissionIds), options)),
          ]),
      ...(ids.length === 0 ? [] : await reads.run(ofEvents.where("events.conversationId", "in", ids), options)),
    ];
    const mails = sent.filter(({ type }) => type === "email").map(({ target }) => JSON.parse(target) as MailTarget);
    const userIds = [...new Set(mails.flatMap(({ recipientIds }) => recipientIds ?? []))];
    const users =
      userIds.length === 0
        ? []
        : await reads.run(
            db
              .selectFrom("users")
              .innerJoin("members", "members.userId", "users.id")
              .select("users.email")
              .where("members.organizationId", "=", organizationId)
              .where("users.id", "in", userIds),
            options,
          );
    return [
      ...sent.filter(({ type }) => type !== "email").map(({ host }) => host),
      ...mails.flatMap(({ to }) => to ?? []),
      ...users.map(({ email }) => email),
    ];
  };
}

type MailTarget = { to?: string[]; recipientIds?: string[] };
