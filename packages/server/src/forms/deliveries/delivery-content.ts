import { randomUUID } from "node:crypto";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import type { SubmissionFileRow, SubmissionRow } from "../../db/form-tables.ts";
import { AppError } from "../../errors.ts";

type File = Omit<SubmissionFileRow, "submissionId">;

/** A submission with all that can be sent of it. */
export type SubmissionContent = { submission: SubmissionRow; files: readonly File[] };

/** Encoded at a time: about a millisecond. A multiple of three, so that the pieces of base64 can be joined. */
const SLICE_BYTES = 768 * 1024;

/** A template may name one long text, or file, thousands of times: together they would fill the memory. */
const MAX_FILLED_CHARACTERS = 4_000_000;
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** The body of the primary webhook, and of a `webhook` action without a payload of its own. */
export function webhookBody({ submission, files }: SubmissionContent): Promise<Buffer> {
  const { id, toolId, toolName, conversationId, createdAt } = submission;
  const formData = { ...JSON.parse(submission.formData), ...stand(files) };
  const submittedAt = new Date(createdAt).toISOString();
  return encode({ submissionId: id, toolId, toolName, conversationId, formData, submittedAt }, files);
}

/** A payload of the owner's, with `{{field}}` filled in wherever it holds text. */
export async function payloadBody(payload: Record<string, unknown>, content: SubmissionContent): Promise<Buffer> {
  const values = valuesOf(content.submission, stand(content.files));
  return encode(fillDeep(payload, values), content.files);
}

/** A value as text: lists with commas, nothing for what is not there. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(asText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function valuesOf(submission: SubmissionRow, files: Record<string, string>) {
  const formData = { ...JSON.parse(submission.formData), ...files };
  let left = MAX_FILLED_CHARACTERS;
  return (name: string): string | undefined => {
    if (name === "_toolName") return submission.toolName;
    const value = Object.hasOwn(formData, name) ? asText(formData[name]) : undefined;
    left -= value?.length ?? 0;
    if (left < 0) throw tooLarge(`${MAX_FILLED_CHARACTERS} characters`);
    return value;
  };
}

/** Files as text: their name where there is one, type and size. */
export function labels(files: readonly File[]): Record<string, string> {
  return Object.fromEntries(
    files.map(({ field, name, mediaType, size }) => {
      const facts = [...(name === null ? [] : [name]), mediaType, `${size} bytes`];
      return [field, `(file: ${facts.join(", ")})`];
    }),
  );
}

/** Nobody can know it, so no text of a visitor's stands for a file; and JSON has nothing to escape in it. */
const mark = randomUUID();
const standIn = (index: number) => `${mark}:${index}:`;
const standInAsJson = new RegExp(`${mark}:(\\d+):`);

function stand(files: readonly File[]): Record<string, string> {
  return Object.fromEntries(files.map(({ field }, index) => [field, standIn(index)]));
}

/** JSON with the files as data URLs. Escaping those as text would block everybody else for tens of milliseconds. */
async function encode(value: unknown, files: readonly File[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const parts = JSON.stringify(value).split(standInAsJson);
  const size = (part: string, index: number) =>
    index % 2 === 0 ? part.length : ((files[Number(part)]?.content.length ?? 0) * 4) / 3;
  if (parts.reduce((sum, part, index) => sum + size(part, index), 0) > MAX_BODY_BYTES) throw tooLarge("32 MiB");
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) pieces.push(Buffer.from(part));
    else pieces.push(...(await dataUrl(files[Number(part)])));
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

async function dataUrl(file: File | undefined): Promise<Buffer[]> {
  if (!file) return [];
  const pieces = [Buffer.from(JSON.stringify(file.prefix).slice(1, -1))];
  for (let start = 0; start < file.content.length; start += SLICE_BYTES) {
    pieces.push(Buffer.from(file.content.subarray(start, start + SLICE_BYTES).toString("base64"), "latin1"));
    await new Promise(setImmediate);
  }
  return pieces;
}

function tooLarge(limit: string): AppError {
  return new AppError("PAYLOAD_TOO_LARGE", `With what was submitted filled in, it has more than ${limit}.`);
}

function fillDeep(value: unknown, values: (name: string) => string | undefined): unknown {
  if (typeof value === "string") return fillTemplate(value, values);
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillDeep(item, values)]));
}
