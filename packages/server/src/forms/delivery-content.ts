import { randomUUID } from "node:crypto";
import type { PostAction } from "@foyer/contract";
import { fillTemplate } from "@foyer/contract/rules/fill-template";
import type { SubmissionFileRow, SubmissionRow } from "../db/form-tables.ts";
import { AppError } from "../errors.ts";

type ChatMessage = Pick<PostAction, "webhookUrl" | "messageTemplate" | "message">;
type File = Pick<SubmissionFileRow, "field" | "prefix" | "mediaType" | "size" | "content">;

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

/** What a chat's incoming webhook takes. Discord has a field of its own and 2,000 characters. */
export function teamChatBody(action: ChatMessage, content: SubmissionContent): string {
  const template = action.messageTemplate || action.message || "";
  const values = valuesOf(content.submission, labels(content.files));
  if (isDiscord(action.webhookUrl ?? "")) {
    // Nobody who fills in a form may call everybody's attention.
    return JSON.stringify({ content: cut(fillTemplate(template, values), 2_000), allowed_mentions: { parse: [] } });
  }
  return JSON.stringify({ text: fillTemplate(template, (name) => escapeForSlack(values(name))) });
}

/** A mail with every field in a line of its own. */
export function emailContent(action: Pick<PostAction, "subject">, content: SubmissionContent) {
  const { submission, files } = content;
  const values = valuesOf(submission, labels(files));
  const subject = fillTemplate(action.subject || "New submission of {{_toolName}}", values);
  const fields = Object.keys(JSON.parse(submission.formData)).map((name) => `${name}: ${values(name) ?? ""}`);
  const when = new Date(submission.createdAt).toISOString();
  const facts = [`Form: ${submission.toolName}`, `Submitted: ${when}`, `Submission: ${submission.id}`];
  return { subject: cut(subject.replace(/\s+/g, " "), 250), text: [...fields, "", ...facts].join("\n") };
}

/** A value as text: lists with commas, nothing for what is not there. */
export function asText(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(asText).join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function valuesOf(submission: SubmissionRow, files: Record<string, string>) {
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

function labels(files: readonly File[]): Record<string, string> {
  return Object.fromEntries(
    files.map(({ field, mediaType, size }) => [field, `(file: ${mediaType}, ${size} bytes)`] as const),
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

/** https://api.slack.com/reference/surfaces/formatting#escaping */
function escapeForSlack(text: string | undefined): string | undefined {
  return text?.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function isDiscord(url: string): boolean {
  const { hostname, pathname } = URL.parse(url) ?? { hostname: "", pathname: "" };
  return /^((ptb|canary)\.)?discord(app)?\.com$/.test(hostname) && pathname.startsWith("/api/webhooks/");
}

function cut(text: string, length: number): string {
  const characters = Array.from(text);
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join("")}…`;
}
