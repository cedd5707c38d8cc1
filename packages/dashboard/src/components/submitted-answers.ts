import type { FormField } from "@foyer/contract";
import { createAnswerText } from "@foyer/contract/rules/answer-text";
import { labelText } from "@foyer/contract/rules/field-label";

export type FileAnswer = {
  /** The file name on the visitor's device, or null if none was sent. */
  name: string | null;
  mediaType: string;
  size: number;
  url: string;
};

/** An answer with the label of its field, or the field's name if the form no longer has the field. */
export type Answer = {
  name: string;
  label: string;
  /** The type of the field, or `null` if the form no longer has it. */
  type: FormField["type"] | null;
  text: string;
  file: FileAnswer | null;
  isGone: boolean;
};

type Data = Record<string, unknown>;

/** All answers in form order, followed by answers to fields that no longer exist. */
export function toAnswers(formData: Data, fields: readonly FormField[], submissionId: string): Answer[] {
  const known = fields.filter(({ name }) => Object.hasOwn(formData, name));
  const names = new Set(known.map(({ name }) => name));
  const rest = Object.keys(formData).filter((name) => !names.has(name));
  return [
    ...known.map((field) => toAnswer(formData[field.name], { ...field, isGone: false }, submissionId)),
    ...rest.map((name) => toAnswer(formData[name], { name, label: name, isGone: true }, submissionId)),
  ];
}

/** The first non-empty answers in form order, as one line that ends with the number of files. */
export function summarizeAnswers(formData: Data, fields: readonly FormField[], submissionId: string): string {
  const answers = toAnswers(formData, fields, submissionId);
  const texts = answers.flatMap(({ text, file }) => (file || text.trim() === "" ? [] : [text.replace(/\s+/g, " ")]));
  const files = answers.filter(({ file }) => file).length;
  const parts = texts.slice(0, 4).map((text) => (text.length > 80 ? `${text.slice(0, 79)}…` : text));
  return [...parts, ...(files > 0 ? [files === 1 ? "1 file" : `${files} files`] : [])].join(" · ");
}

type Asked = Pick<FormField, "name" | "label"> & Partial<FormField> & { isGone: boolean };

function toAnswer(value: unknown, field: Asked, submissionId: string): Answer {
  const { name, isGone, type = null } = field;
  const file = toFileAnswer(value, submissionId);
  return { name, label: labelText(field), type, text: file ? "" : formatAnswer(field, value), file, isGone };
}

/** A visitor can send an object that looks like a file. Only URLs of this submission are accepted. */
function toFileAnswer(value: unknown, submissionId: string): FileAnswer | null {
  if (typeof value !== "object" || value === null) return null;
  const { file, name, mediaType, size, url } = value as Partial<FileAnswer> & { file?: unknown };
  const isFile = file === true && typeof mediaType === "string" && typeof size === "number" && typeof url === "string";
  return isFile && url.startsWith(`/form-submissions/${submissionId}/files/`)
    ? { name: typeof name === "string" && name.trim() !== "" ? name : null, mediaType, size, url }
    : null;
}

const formatAnswer = createAnswerText({ locale: undefined, dateStyle: "medium", yes: "Yes", no: "No" });

/** Whether all browsers can show the image. SVG is excluded because it can contain scripts. */
export function isPreviewable(mediaType: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(mediaType);
}

/** Formats a size: `812 B`, `48 KB`, `2.1 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${Math.round(bytes / 1_000)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
