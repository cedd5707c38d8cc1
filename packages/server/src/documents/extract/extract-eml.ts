import PostalMime, { type Address } from "postal-mime";
import { extractHtml } from "./extract-html.ts";
import { extractText } from "./extract-text.ts";
import type { FileContent, FileInput } from "./extracted.ts";
import type { Block } from "./split-passages.ts";

/** Reads an email, or a web page that was saved as one file (MHTML): its header fields and its body. */
export async function extractEml({ bytes, warnings }: FileInput): Promise<FileContent> {
  const { subject, from, to, cc, date, html, text, attachments } = await PostalMime.parse(bytes);
  for (const { filename, mimeType, related } of attachments) {
    if (!related) warnings.add("ATTACHMENTS_LEFT_OUT", filename ?? mimeType);
  }
  const fields = [
    ["Subject", subject],
    ["From", from && formatAddress(from)],
    ["To", to?.map(formatAddress).join(", ")],
    ["Cc", cc?.map(formatAddress).join(", ")],
    ["Date", date],
  ].flatMap(([name, value]) => (value ? [`${name}: ${value}`] : []));
  const headings = subject ? [subject.slice(0, 500).toWellFormed()] : [];
  const header: Block[] = fields.length > 0 ? [{ text: fields.join("\n"), headings, page: null }] : [];
  const body = html ? extractHtml(html).blocks : extractText(text ?? "").blocks;
  return {
    title: subject || null,
    blocks: [...header, ...body.map((block) => ({ ...block, headings: [...headings, ...block.headings] }))],
  };
}

const formatAddress = ({ name, address, group }: Address): string =>
  group
    ? `${name}: ${group.map(formatAddress).join(", ")}`
    : name && address
      ? `${name} <${address}>`
      : (address ?? name);
