import { readRecords } from "./read-records.ts";

const htmlStart =
  /^[\s\u200b\ufeff]*(<!--[\s\S]{0,2000}?-->\s*)?(<\?xml[^>]{0,200}\?>\s*)?(<!doctype\s+html|<html|<head|<body)\b/i;
const htmlTags =
  /<(p|div|h[1-6]|ul|ol|li|dl|dt|dd|table|caption|tr|th|td|section|article|main|br|span)\b[^<>]{0,500}>/gi;
const markdown = /^#{1,6} \S|^\s*[-*+] \S|\]\([^)\s]+\)|^```|\*\*\S/m;

export const isHtml = (text: string): boolean => htmlStart.test(text);

export const isVtt = (text: string): boolean => /^\ufeff?WEBVTT(\s|$)/.test(text);

export const isSrt = (text: string): boolean =>
  /^\s*\d{1,6}[ \t]*\r?\n\d{1,3}:\d\d:\d\d[,.]\d{1,3}[ \t]*-->/.test(text);

export const resemblesHtml = (text: string): boolean => /^\s*</.test(text) && (text.match(htmlTags)?.length ?? 0) >= 3;

export const resemblesMarkdown = (text: string): boolean => markdown.test(text);

/** Whether the text begins with the header of an email or of a saved web page (MHTML). */
export function isEmail(text: string): boolean {
  const [header = ""] = text
    .trimStart()
    .replace(/^From .*\r?\n/, "")
    .split(/\r?\n\r?\n/, 1);
  const names = header.split(/\r?\n(?![ \t])/).map((line) => /^[!-9;-~]{1,100}:/.exec(line)?.[0].toLowerCase());
  if (names.includes(undefined)) return false;
  const has = (...wanted: string[]) => wanted.some((name) => names.includes(name));
  return (has("mime-version:") && has("content-type:")) || (has("from:") && has("date:", "received:", "message-id:"));
}

/** Whether the text begins with at least three records of the same length that are not prose. */
export function resemblesCsv(text: string): boolean {
  const { separator, records } = readRecords(text);
  const filled = records.filter((record) => record.some((field) => field.trim() !== ""));
  const [first] = filled;
  if (separator === null || !first || filled.length < 3) return false;
  return filled.every((record) => record.length === first.length) && !isProse(filled);
}

/** Whether the records are sentences, of which those with one comma each look like two columns. */
function isProse(records: readonly string[][]): boolean {
  return records.filter((record) => /[.!?。]\s*$/.test(record.at(-1) ?? "")).length > records.length / 2;
}
