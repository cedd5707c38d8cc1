import { FoyerError } from "@foyer/sdk";
import { api } from "../../data/api.ts";
import { csvHead, csvLine } from "./conversation-text.ts";
import type { ListedConversation, ListQuery } from "./inbox-search.ts";

export type ExportKind = "csv" | "jsonl" | "jsonl-messages";
export type Progress = { done: number; total: number };

const PAGE = 100;
/** Conversations that are read at once. */
const AT_ONCE = 4;

/**
 * All conversations that a query finds, as the parts of a file: a line for each. New ones that come meanwhile are left out.
 * Rejects with the signal's reason when it aborts, and as calls do.
 */
export async function exportList(
  query: ListQuery,
  kind: ExportKind,
  onProgress: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<string[]> {
  const parts = kind === "csv" ? [csvHead] : [];
  const seen = new Set<string>();
  let newest: string | undefined;
  let offset = 0;
  while (true) {
    const page = await patiently(() => api.listConversations({ ...query, limit: PAGE, offset }, { signal }), signal);
    // Every page begins with the last row of the one before. If it does not, rows were deleted, and others moved up past it.
    if (offset > 0 && !seen.has(page.data[0]?.id ?? "")) {
      offset = Math.max(0, offset - PAGE);
      continue;
    }
    newest ??= page.data[0]?.id ?? "";
    const limit = newest;
    // New conversations push known ones onto later pages.
    const rows: ListedConversation[] = page.data.filter(({ id }) => !seen.has(id) && id <= limit);
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const lines = await Promise.all(rows.slice(at, at + AT_ONCE).map((row) => lineOf(row, kind, signal)));
      parts.push(lines.join(""));
      for (const row of rows.slice(at, at + AT_ONCE)) seen.add(row.id);
      if (kind === "jsonl-messages") onProgress({ done: seen.size, total: Math.max(page.pagination.total, seen.size) });
    }
    onProgress({ done: seen.size, total: Math.max(page.pagination.total, seen.size) });
    if (page.data.length < PAGE) return parts;
    offset += PAGE - 1;
  }
}

async function lineOf(row: ListedConversation, kind: ExportKind, signal: AbortSignal) {
  if (kind === "csv") return csvLine(row);
  if (kind === "jsonl") return `${JSON.stringify(row)}\n`;
  try {
    const { messages } = await patiently(() => api.getConversation({ id: row.id }, { signal }), signal);
    return `${JSON.stringify({ ...row, messages })}\n`;
  } catch (error) {
    // Deleted since the list was read.
    if (error instanceof FoyerError && error.code === "NOT_FOUND") return "";
    throw error;
  }
}

/** Waits as long as the server asks for when it was called too often. */
async function patiently<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof FoyerError) || !error.isTemporary || attempt > 5) throw error;
      await pause((error.retryAfter ?? attempt) * 1_000, signal);
    }
  }
}

function pause(ms: number, signal: AbortSignal) {
  return new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
