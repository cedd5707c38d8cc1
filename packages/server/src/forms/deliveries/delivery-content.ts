import { randomUUID } from "node:crypto";
import { fillTemplate, findLonePlaceholder } from "@foyer/contract/rules/fill-template";
import type { SubmissionFileRow, SubmissionRow } from "../../db/tables/forms.ts";
import { AppError } from "../../errors.ts";

type File = Omit<SubmissionFileRow, "submissionId">;

/** A submission with its files. */
export type SubmissionContent = { submission: SubmissionRow; files: readonly File[] };

/**
 * The number of bytes to encode at a time, which takes about a millisecond. It is a multiple of three, so that the
 * base64 of consecutive slices can be concatenated.
 */
const SLICE_BYTES = 768 * 1024;

/**
 * The maximum lengths of a body with its values filled in, because a template can repeat one long text or file
 * thousands of times.
 */
const MAX_FILLED_CHARACTERS = 4_000_000;
const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** Builds the body of the form's webhook, and of a `webhook` action without its own payload. */
export function createWebhookBody({ submission, files }: SubmissionContent): Promise<Buffer> {
  const { id, toolId, toolName, conversationId, createdAt } = submission;
  const formData = { ...JSON.parse(submission.formData), ...createPlaceholders(files) };
  const submittedAt = new Date(createdAt).toISOString();
  const changed = submission.changedByVisitor;
  const body = { submissionId: id, toolId, toolName, conversationId, formData, submittedAt };
  return encode(changed === null ? body : { ...body, changedByVisitor: JSON.parse(changed) }, files);
}

/**
 * Builds the body from the owner's payload and replaces `{{field}}` in every string. A string that is nothing but a
 * placeholder becomes the answer with its type.
 */
export async function createPayloadBody(payload: Record<string, unknown>, content: SubmissionContent): Promise<Buffer> {
  const files = createPlaceholders(content.files);
  const values = createValueLookup(content.submission, files);
  const formData = { ...JSON.parse(content.submission.formData), ...files };
  const fill = (template: string): unknown => {
    const text = fillTemplate(template, values);
    const name = findLonePlaceholder(template);
    return name !== null && Object.hasOwn(formData, name) ? (formData[name] ?? text) : text;
  };
  return encode(fillDeep(payload, fill), content.files);
}

/** Formats a value as text. List items are separated by commas, and a missing value becomes an empty string. */
export function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(formatValue).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function createValueLookup(submission: SubmissionRow, files: Record<string, string>) {
  const formData = { ...JSON.parse(submission.formData), ...files };
  let remainingCharacters = MAX_FILLED_CHARACTERS;
  return (name: string): string | undefined => {
    if (name === "_toolName") return submission.toolName;
    const value = Object.hasOwn(formData, name) ? formatValue(formData[name]) : undefined;
    remainingCharacters -= value?.length ?? 0;
    if (remainingCharacters < 0) throw createTooLargeError(`${MAX_FILLED_CHARACTERS} characters`);
    return value;
  };
}

/** Describes each file by its name (if known), type and size. */
export function describeFiles(files: readonly File[]): Record<string, string> {
  return Object.fromEntries(
    files.map(({ field, name, mediaType, size }) => {
      const details = [...(name === null ? [] : [name]), mediaType, `${size} bytes`];
      return [field, `(file: ${details.join(", ")})`];
    }),
  );
}

/**
 * Marks the placeholders of files. It is random, so a visitor cannot guess it, and it contains no characters that JSON
 * escapes.
 */
const marker = randomUUID();
const formatPlaceholder = (index: number) => `${marker}:${index}:`;
const placeholderPattern = new RegExp(`${marker}:(\\d+):`);

function createPlaceholders(files: readonly File[]): Record<string, string> {
  return Object.fromEntries(files.map(({ field }, index) => [field, formatPlaceholder(index)]));
}

/**
 * Encodes a value as JSON with the files as data URLs. Passing whole files through `JSON.stringify` would block the
 * event loop for tens of milliseconds.
 */
async function encode(value: unknown, files: readonly File[]): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const parts = JSON.stringify(value).split(placeholderPattern);
  const size = (part: string, index: number) =>
    index % 2 === 0 ? part.length : ((files[Number(part)]?.content.length ?? 0) * 4) / 3;
  if (parts.reduce((sum, part, index) => sum + size(part, index), 0) > MAX_BODY_BYTES)
    throw createTooLargeError("32 MiB");
  for (const [index, part] of parts.entries()) {
    if (index % 2 === 0) pieces.push(Buffer.from(part));
    else pieces.push(...(await encodeDataUrl(files[Number(part)])));
  }
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

async function encodeDataUrl(file: File | undefined): Promise<Buffer[]> {
  if (!file) return [];
  const pieces = [Buffer.from(JSON.stringify(file.prefix).slice(1, -1))];
  for (let start = 0; start < file.content.length; start += SLICE_BYTES) {
    pieces.push(Buffer.from(file.content.subarray(start, start + SLICE_BYTES).toString("base64"), "latin1"));
    await new Promise(setImmediate);
  }
  return pieces;
}

function createTooLargeError(limit: string): AppError {
  return new AppError("PAYLOAD_TOO_LARGE", `With the submitted values filled in, the content has more than ${limit}.`);
}

function fillDeep(value: unknown, fill: (template: string) => unknown): unknown {
  if (typeof value === "string") return fill(value);
  if (Array.isArray(value)) return value.map((item) => fillDeep(item, fill));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillDeep(item, fill)]));
}
