import type { AnswerRecorder } from "../documents/answers/recorder.ts";
import { type ChangeListener, isCountedRating } from "./log/change.ts";
import { readQuestionBefore } from "./question-before.ts";

/** @returns a listener that records how replies used the documents, and which questions they did not answer */
export function createDocumentAnswers(recorder: AnswerRecorder): ChangeListener {
  return async (trx, changes) => {
    for (const change of changes) {
      if (change.kind === "reply_ended" && change.reply.answer) await recorder.record(trx, change.reply.answer);
      if (change.kind !== "rated" || !isCountedRating(change) || change.role !== "assistant") continue;
      const { organizationId, agentId, conversationId, messageId, rating, sentAt } = change;
      const question = await readQuestionBefore(trx, conversationId, change.position);
      if (question === null) continue;
      const reply = { organizationId, agentId, conversationId, messageId, question };
      await recorder.recordRating(trx, reply, { rating, at: sentAt });
    }
  };
}
