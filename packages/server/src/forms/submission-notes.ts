import type { SubmissionRow } from "../db/tables/forms.ts";
import { quoteJson } from "../quoted-json.ts";
import { formatValue } from "./deliveries/delivery-content.ts";
import type { FileFacts, SubmissionStore } from "./submission-store.ts";

const MAX_SUBMISSIONS = 10;
const MAX_VALUE_CHARACTERS = 500;
const MAX_NOTE_CHARACTERS = 4_000;

/** Creates notes that inform the model about the forms that the visitor submitted in the conversation, oldest first. */
export function createSubmissionNotes(store: SubmissionStore) {
  return async (agentId: string, conversationId: string) => {
    const submissions = await store.listVerified(agentId, conversationId, MAX_SUBMISSIONS);
    const files = await store.listFiles(submissions.map(({ id }) => id));
    return submissions.map((row) => ({
      id: row.id,
      createdAt: row.createdAt,
      text: formatNote(row, files),
      isReference: true,
    }));
  };
}

function formatNote({ id, toolName, formData }: SubmissionRow, files: readonly FileFacts[]): string {
  const fileFields = new Set(files.filter(({ submissionId }) => submissionId === id).map(({ field }) => field));
  // Quote names and values, so that a value cannot imitate another line or the end of the note.
  const values = Object.entries(JSON.parse(formData)).map(([name, value]) => {
    const displayValue = fileFields.has(name)
      ? "(a file)"
      : formatValue(value).slice(0, MAX_VALUE_CHARACTERS).toWellFormed();
    return `${quoteJson(name)}: ${quoteJson(displayValue)}`;
  });
  const included = values.filter((_, index) => values.slice(0, index + 1).join("\n").length <= MAX_NOTE_CHARACTERS);
  return `[The visitor submitted the form ${toolName}. It was received. The visitor's answers, quoted as JSON:\n${included.join("\n")}]`;
}
