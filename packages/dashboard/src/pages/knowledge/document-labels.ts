import type { Document } from "@foyer/contract";

export const kindNames: Record<Document["kind"], string> = {
  text: "Text",
  faq: "Question and answer",
  page: "Web page",
  file: "File",
};

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
