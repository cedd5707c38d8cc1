import type { FormField } from "@foyer/contract";

export type FileAnswer = {
  /** As on the visitor's device; null when none was sent. */
  name: string | null;
  mediaType: string;
  size: number;
  url: string;
};

/** One answer by the label that the visitor saw; `name` where the form has no such field any more. */
export type Answer = {
  name: string;
  label: string;
  /** The field's; `null` where there is none any more. */
  type: FormField["type"] | null;
  text: string;
  file: FileAnswer | null;
  isGone: boolean;
};

type Data = Record<string, unknown>;

/** Every answer: in the form's order, and after them what the form does not ask any more. */
export function answersOf(formData: Data, fields: readonly FormField[], submissionId: string): Answer[] {
  const known = fields.filter(({ name }) => Object.hasOwn(formData, name));
  const names = new Set(known.map(({ name }) => name));
  const rest = Object.keys(formData).filter((name) => !names.has(name));
  return [
    ...known.map((field) => toAnswer(formData[field.name], { ...field, isGone: false }, submissionId)),
    ...rest.map((name) => toAnswer(formData[name], { name, label: name, isGone: true }, submissionId)),
  ];
}

/** The first answers that say something, in the form's order, as one line; files are counted at its end. */
export function summaryOf(formData: Data, fields: readonly FormField[], submissionId: string): string {
  const answers = answersOf(formData, fields, submissionId);
  const texts = answers.flatMap(({ text, file }) => (file || text.trim() === "" ? [] : [text.replace(/\s+/g, " ")]));
  const files = answers.filter(({ file }) => file).length;
  const parts = texts.slice(0, 4).map((text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text));
  return [...parts, ...(files > 0 ? [files === 1 ? "1 file" : `${files} files`] : [])].join(" · ");
}

type Asked = Pick<FormField, "name" | "label"> & Partial<FormField> & { isGone: boolean };

function toAnswer(value: unknown, field: Asked, submissionId: string): Answer {
  const { name, label, isGone, type = null } = field;
  const file = fileOf(value, submissionId);
  return { name, label: label.trim() || name, type, text: file ? "" : asText(value, field), file, isGone };
}

/** A visitor may send an object that looks like a file: only an address of this submission is one. */
function fileOf(value: unknown, submissionId: string): FileAnswer | null {
  if (typeof value !== "object" || value === null) return null;
  const { file, name, mediaType, size, url } = value as Partial<FileAnswer> & { file?: unknown };
  const isFile = file === true && typeof mediaType === "string" && typeof size === "number" && typeof url === "string";
  return isFile && url.startsWith(`/form-submissions/${submissionId}/files/`)
    ? { name: typeof name === "string" && name.trim() !== "" ? name : null, mediaType, size, url }
    : null;
}

function asText(value: unknown, field: Asked): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map((item) => asText(item, field)).join(", ");
  if (typeof value === "boolean") return value ? "Yes" : "No";
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  // What the visitor chose by its label is told by its label.
  return field.options?.find((option) => option.value === text)?.label ?? dateText(text, field.type) ?? text;
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });

/** A date as the visitor chose it, in no zone, as the viewer writes dates. */
function dateText(text: string, type: FormField["type"] | undefined): string | null {
  if (type === "date" && /^\d{4}-\d\d-\d\d$/.test(text)) return format(day, `${text}T00:00Z`);
  if (type === "datetime" && /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text)) return format(dayAndTime, `${text}Z`);
  return null;
}

function format(formatter: Intl.DateTimeFormat, text: string): string | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : formatter.format(date);
}

/** Images that every browser shows; drawings that can hold scripts are not among them. */
export function isPreviewable(mediaType: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(mediaType);
}

/** `812 B`, `48 KB`, `2.1 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
