import { FoyerError } from "@foyer/sdk";
import { api } from "../../data/api.ts";
import type { ListedConversation, ListQuery } from "./inbox-search.ts";

export type ExportKind = "jsonl" | "jsonl-messages";
export type Progress = { done: number; total: number };

const PAGE = 100;
/** The maximum number of conversations that are read concurrently. */
const AT_ONCE = 4;

/** The address of the server's CSV file with every conversation that the query finds. */
export function csvAddress(query: ListQuery): string {
  const parameters = new URLSearchParams({ format: "csv" });
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return `/conversations?${parameters}`;
}

/**
 * Every conversation that a query finds, as the parts of a file with one line each. Conversations that start during the
 * export are left out.
 * @throws the signal's reason, or the error of a request
 */
export async function exportList(
  query: ListQuery,
  kind: ExportKind,
  { onProgress, signal }: { onProgress: (progress: Progress) => void; signal: AbortSignal },
): Promise<string[]> {
  const parts: string[] = [];
  const seen = new Set<string>();
  let newest: string | undefined;
  let offset = 0;
  while (true) {
    const page = await withRateLimitRetries(
      () => api.listConversations({ ...query, limit: PAGE, offset }, { signal }),
      signal,
    );
    // Each page must start with the last row of the previous page. If it does not, rows were deleted and others have
    // moved to an earlier page.
    if (offset > 0 && !seen.has(page.data[0]?.id ?? "")) {
      offset = Math.max(0, offset - PAGE);
      continue;
    }
    newest ??= page.data[0]?.id ?? "";
    const limit = newest;
    // New conversations push already exported ones onto later pages.
    const rows: ListedConversation[] = page.data.filter(({ id }) => !seen.has(id) && id <= limit);
    for (let at = 0; at < rows.length; at += AT_ONCE) {
      const lines = await Promise.all(rows.slice(at, at + AT_ONCE).map((row) => formatLine(row, kind, signal)));
      parts.push(lines.join(""));
      for (const row of rows.slice(at, at + AT_ONCE)) seen.add(row.id);
      if (kind === "jsonl-messages") onProgress({ done: seen.size, total: Math.max(page.pagination.total, seen.size) });
    }
    onProgress({ done: seen.size, total: Math.max(page.pagination.total, seen.size) });
    if (page.data.length < PAGE) return parts;
    offset += PAGE - 1;
  }
}

async function formatLine(row: ListedConversation, kind: ExportKind, signal: AbortSignal) {
  if (kind === "jsonl") return `${JSON.stringify(row)}\n`;
  try {
    const { messages } = await withRateLimitRetries(() => api.getConversation({ id: row.id }, { signal }), signal);
    return `${JSON.stringify({ ...row, messages })}\n`;
  } catch (error) {
    // The conversation was deleted after the list was read.
    if (error instanceof FoyerError && error.code === "NOT_FOUND") return "";
    throw error;
  }
}

/** Repeats a rate-limited request after the time that the server asks for. */
async function withRateLimitRetries<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
