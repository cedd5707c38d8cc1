import type { Kysely } from "kysely";
import { belongsTo } from "../belongs-to.ts";
import type { Tables } from "../tables.ts";

/**
 * How replies used the documents: questions without an answer, and the documents that were cited. Rows are deleted with
 * their message, so they need no cleanup of their own.
 */
export async function answers(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("unansweredQuestions")
    .addColumn("messageId", "text", (c) => c.primaryKey().references("messages.id").onDelete("cascade"))
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("agentId", "text", (c) => c.notNull())
    .addColumn("conversationId", "text", (c) => c.notNull())
    .addColumn("groupId", "text", (c) => c.notNull())
    .addColumn("question", "text", (c) => c.notNull())
    .addColumn("reason", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("unansweredQuestionsAgent")
    .on("unansweredQuestions")
    .columns(["agentId", "at"])
    .execute();
  await db.schema
    .createIndex("unansweredQuestionsGroup")
    .on("unansweredQuestions")
    .columns(["agentId", "groupId", "at"])
    .execute();
  await db.schema
    .createTable("closedQuestions")
    .$call(belongsTo("agentId", "agents"))
    .addColumn("groupId", "text", (c) => c.notNull())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("outcome", "text", (c) => c.notNull())
    .addColumn("closedAt", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("closedQuestionsKey", ["agentId", "groupId"])
    .execute();
  // No reference to the documents: a document that is deleted while a reply runs must not keep the reply from being
  // stored.
  await db.schema
    .createTable("documentCitations")
    .$call(belongsTo("messageId", "messages"))
    .addColumn("documentId", "text", (c) => c.notNull())
    .addColumn("organizationId", "text", (c) => c.notNull())
    .addColumn("conversationId", "text", (c) => c.notNull())
    .addColumn("question", "text", (c) => c.notNull())
    .addColumn("at", "bigint", (c) => c.notNull())
    .addPrimaryKeyConstraint("documentCitationsKey", ["messageId", "documentId"])
    .execute();
  await db.schema
    .createIndex("documentCitationsDocument")
    .on("documentCitations")
    .columns(["documentId", "at"])
    .execute();
}
