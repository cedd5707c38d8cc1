import type { UnansweredReason } from "@foyer/contract";
import type { Kysely } from "kysely";
import { compileOnce, type Executor } from "../../db/compiled-query.ts";
import type { DocumentCitationRow, UnansweredQuestionRow } from "../../db/tables/answers.ts";
import type { Tables } from "../../db/tables.ts";
import { questionGroupKey, toQuestion } from "./question-group.ts";

type Reply = {
  organizationId: string;
  agentId: string;
  conversationId: string;
  messageId: string;
  /** the visitor's message that the reply responds to */
  question: string;
};

/** How a finished reply used the documents. */
export type Answer = Reply & {
  /** null when the question was answered */
  reason: Exclude<UnansweredReason, "rated_down"> | null;
  citedDocumentIds: readonly string[];
  at: number;
};

export type AnswerRecorder = ReturnType<typeof createAnswerRecorder>;

/**
 * Records unanswered questions and cited documents in the transaction that stores the reply or its rating, so that
 * nothing ever needs to read all conversations.
 */
export function createAnswerRecorder(db: Kysely<Tables>) {
  const queries = recorderQueries(db);

  async function recordQuestion(
    trx: Executor,
    reply: Reply,
    { reason, at }: { reason: UnansweredReason; at: number },
  ): Promise<void> {
    const { organizationId, agentId, conversationId, messageId } = reply;
    const question = toQuestion(reply.question);
    const groupId = questionGroupKey(question);
    if (groupId === null) return;
    await queries.insert(trx, { organizationId, agentId, conversationId, messageId, groupId, question, reason, at });
  }

  return {
    async record(trx: Executor, answer: Answer): Promise<void> {
      const { organizationId, conversationId, messageId, reason, at } = answer;
      if (reason !== null) await recordQuestion(trx, answer, { reason, at });
      const question = toQuestion(answer.question);
      for (const documentId of new Set(answer.citedDocumentIds)) {
        await queries.cite(trx, { organizationId, conversationId, messageId, documentId, question, at });
      }
    },
    /** A reply that was rated up answered its question, no matter what it cites. */
    async recordRating(trx: Executor, reply: Reply, { rating, at }: { rating: "up" | "down"; at: number }) {
      if (rating === "down") return recordQuestion(trx, reply, { reason: "rated_down", at });
      await queries.remove(trx, { messageId: reply.messageId, organizationId: reply.organizationId });
    },
  };
}

function recorderQueries(db: Kysely<Tables>) {
  return {
    insert: compileOnce<UnansweredQuestionRow, never>((param) =>
      db
        .insertInto("unansweredQuestions")
        .values({
          messageId: param("messageId"),
          organizationId: param("organizationId"),
          agentId: param("agentId"),
          conversationId: param("conversationId"),
          groupId: param("groupId"),
          question: param("question"),
          reason: param("reason"),
          at: param("at"),
        })
        .onConflict((conflict) =>
          conflict.column("messageId").doUpdateSet((set) => ({ reason: set.ref("excluded.reason") })),
        ),
    ),
    cite: compileOnce<DocumentCitationRow, never>((param) =>
      db.insertInto("documentCitations").values({
        messageId: param("messageId"),
        documentId: param("documentId"),
        organizationId: param("organizationId"),
        conversationId: param("conversationId"),
        question: param("question"),
        at: param("at"),
      }),
    ),
    remove: compileOnce<Pick<Reply, "messageId" | "organizationId">, never>((param) =>
      db
        .deleteFrom("unansweredQuestions")
        .where("messageId", "=", param("messageId"))
        .where("organizationId", "=", param("organizationId")),
    ),
  };
}
