import { describeField } from "../rules/field-types.ts";
import { linkAddress } from "../rules/safe-address.ts";
import type { FormField } from "./form.ts";

/** A part of a label. `href` is a URL that is safe to link to. */
export type LabelPart = { text: string; href?: string };

type LabelledField = Pick<FormField, "label" | "name"> & { type?: FormField["type"] | null };

/** `[text](address)`. Neither part can contain its own delimiters, so the search takes linear time. */
const link = /\[([^[\]]+)\]\(([^()\s]*)\)/g;

/**
 * Splits the label into parts, with links for types whose labels may have some. A link with an unsafe address becomes
 * plain text. A field without a label uses its name.
 */
export function labelParts(field: LabelledField): LabelPart[] {
  const label = field.label.trim() || field.name;
  if (!hasLinks(field)) return [{ text: label }];
  const parts: LabelPart[] = [];
  let at = 0;
  for (const match of label.matchAll(link)) {
    const [whole, text = "", address = ""] = match;
    if (match.index > at) parts.push({ text: label.slice(at, match.index) });
    const href = linkAddress(address);
    parts.push(href === null ? { text } : { text, href });
    at = match.index + whole.length;
  }
  if (at < label.length) parts.push({ text: label.slice(at) });
  return parts;
}

/** The label as plain text, for error messages, lists and exports. */
export function labelText(field: LabelledField): string {
  return labelParts(field)
    .map(({ text }) => text)
    .join("");
}

/** The first unsafe address in the label, or null when all are safe. */
export function findUnsafeLink(field: LabelledField): string | null {
  if (!hasLinks(field)) return null;
  const unsafe = field.label.matchAll(link).find(([, , address = ""]) => linkAddress(address) === null);
  return unsafe?.[2] ?? null;
}

function hasLinks({ type }: LabelledField): boolean {
  return type ? describeField({ type }).hasLinks === true : false;
}
