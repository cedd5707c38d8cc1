import type { SubmissionRow } from "../db/form-tables.ts";
import { quotedJson } from "../quoted-json.ts";
import { asText } from "./deliveries/delivery-content.ts";
import type { FileFacts, SubmissionStore } from "./submission-store.ts";

const NEWEST = 10;
const VALUE_CHARACTERS = 500;
const NOTE_CHARACTERS = 4_000;

/** Notes that tell the model about the forms that the visitor submitted in the conversation, oldest first. */
export function createSubmissionNotes(store: SubmissionStore) {
  return async (agentId: string, conversationId: string) => {
    const submissions = await store.verifiedIn(agentId, conversationId, NEWEST);
    const files = await store.fileFacts(submissions.map(({ id }) => id));
    return submissions.map((row) => ({ createdAt: row.createdAt, text: noteOf(row, files) }));
  };
}

function noteOf({ id, toolName, formData }: SubmissionRow, files: readonly FileFacts[]): string {
  const isFile = new Set(files.filter(({ submissionId }) => submissionId === id).map(({ field }) => field));
  // Quoted, so that a value cannot imitate another line or the end of the note.
  const values = Object.entries(JSON.parse(formData)).map(([name, value]) => {
    const shown = isFile.has(name) ? "(a file)" : asText(value).slice(0, VALUE_CHARACTERS).toWellFormed();
    return `${quotedJson(name)}: ${quotedJson(shown)}`;
  });
  const included = values.filter((_, index) => values.slice(0, index + 1).join("\n").length <= NOTE_CHARACTERS);
  return `[The visitor submitted the form ${toolName}. It was received. The visitor's answers, quoted as JSON:\n${included.join("\n")}]`;
}
