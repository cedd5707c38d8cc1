import type { SubmissionRow } from "../db/form-tables.ts";
import { asText } from "./delivery-content.ts";
import type { FileFacts, SubmissionStore } from "./submission-store.ts";

const NEWEST = 10;
const VALUE_CHARACTERS = 500;
const NOTE_CHARACTERS = 4_000;

/** What a model is told of the forms that were submitted in its conversation, oldest first. */
export function createSubmissionNotes(store: SubmissionStore) {
  return async (agentId: string, conversationId: string) => {
    const submissions = await store.inConversation(agentId, conversationId, NEWEST);
    const files = await store.fileFacts(submissions.map(({ id }) => id));
    return submissions.map((row) => ({ createdAt: row.createdAt, text: noteOf(row, files) }));
  };
}

function noteOf({ id, toolName, formData }: SubmissionRow, files: readonly FileFacts[]): string {
  const isFile = new Set(files.filter(({ submissionId }) => submissionId === id).map(({ field }) => field));
  // That there is a file is enough.
  const values = Object.entries(JSON.parse(formData)).map(
    ([name, value]) => `${name}: ${isFile.has(name) ? "(a file)" : asText(value).slice(0, VALUE_CHARACTERS)}`,
  );
  const list = values.join("\n").slice(0, NOTE_CHARACTERS).toWellFormed();
  return `[The visitor has submitted the form ${toolName}. It was received. What it says:\n${list}]`;
}
