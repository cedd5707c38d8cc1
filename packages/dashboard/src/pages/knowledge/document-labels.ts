import type { Document } from "@foyer/contract";
import { documentFormats, formatOfMediaType } from "@foyer/contract/rules/document-formats";

export const kindNames: Record<Document["kind"], string> = {
  text: "Text",
  faq: "Question and answer",
  page: "Web page",
  file: "File",
};

/** The kind of a document, for files their format: "PDF". */
export function describeKind({ kind, mimeType }: Pick<Document, "kind" | "mimeType">): string {
  const format = kind === "file" ? formatOfMediaType(mimeType) : null;
  if (format === null) return kindNames[kind];
  const { label } = documentFormats[format];
  return label.charAt(0).toUpperCase() + label.slice(1);
}

/**
 * Reports added documents. A new document is always queued. In any other state, a document with the same content
 * already existed.
 */
export function describeAdded(documents: ReadonlyArray<Pick<Document, "title" | "state">>): string {
  const [first] = documents;
  const added = documents.filter(({ state }) => state === "queued").length;
  if (first && documents.length === 1) return added === 1 ? `${first.title} added` : `${first.title} already exists`;
  const known = documents.length - added;
  return [
    added > 0 && `${formatFiles(added)} added`,
    known > 0 && `${formatFiles(known)} already ${known === 1 ? "exists" : "exist"}`,
  ]
    .filter(Boolean)
    .join(", ");
}

const formatFiles = (count: number) => (count === 1 ? "1 file" : `${count.toLocaleString()} files`);

/** An address as a browser completes it: `harbour-bikes.example` becomes `https://harbour-bikes.example`. */
export function completeAddress(text: string): string {
  const address = text.trim();
  // A port is not a scheme: `localhost:3000`.
  return address === "" || /^[a-z][a-z\d+.-]*:(?!\d)/i.test(address) ? address : `https://${address}`;
}

const stageNames = { fetching: "Fetching", extracting: "Reading", indexing: "Indexing" };

/** Whether the server is still processing the document, so its state will change. */
export function isUnderWay({ state }: Pick<Document, "state">): boolean {
  return state === "queued" || state === "processing";
}

/** Describes the state and the progress of processing: "Reading, 3 of 12". */
export function describeState({ state, stage, progress }: Pick<Document, "state" | "stage" | "progress">): string {
  if (state === "queued") return "Waiting";
  if (state === "ready") return "Ready";
  if (state === "failed") return "Failed";
  const name = stage ? stageNames[stage] : "Processing";
  const { done, total } = progress;
  return total > 1 ? `${name}, ${done.toLocaleString()} of ${total.toLocaleString()}` : name;
}

const units = ["byte", "kilobyte", "megabyte"] as const;

/** Formats a size: "3.4 MB". */
export function formatSize(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const format = {
    style: "unit",
    unit: units[power],
    // The short form of "79 bytes" is "79 byte".
    unitDisplay: power === 0 ? "long" : "short",
    maximumFractionDigits: 1,
  } as const;
  return new Intl.NumberFormat(undefined, format).format(bytes / 1_000 ** power);
}

/** Splits the edited text of other wordings, one per line. */
export function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
