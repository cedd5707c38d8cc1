import type { DocumentSource, DocumentSourceDetail, SourcePage, SourcePageState } from "@foyer/contract";
import type { DocumentRow, SourcePageRow, SourceRow } from "../../db/tables/documents.ts";
import { notFound } from "../../errors.ts";

export type PageCounts = Record<SourcePageState, number>;

export const noPages: PageCounts = { pending: 0, read: 0, skipped: 0, missing: 0, failed: 0 };

/** Converts a row to the API's representation. */
export function toSource(row: SourceRow, pages: PageCounts): DocumentSource {
  const { state } = row;
  if (state === "deleting") throw notFound("Source");
  const instant = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id: row.id,
    agentId: row.agentId,
    url: row.url,
    include: JSON.parse(row.include),
    exclude: JSON.parse(row.exclude),
    schedule: row.schedule,
    maxPages: row.maxPages,
    state,
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? "" },
    pages,
    lastSyncAt: instant(row.lastSyncAt),
    // While a sync is queued or running, the column holds its due time or lease.
    nextSyncAt: state === "idle" ? instant(row.dueAt) : null,
    createdAt: new Date(row.createdAt).toISOString(),
    updatedAt: new Date(row.updatedAt).toISOString(),
  };
}

/** How many pages were not used for a reason, which can name an address. */
export type UnusedPages = { reason: string | null; n: number };

export function toSourceDetail(
  row: SourceRow,
  pages: PageCounts,
  unused: readonly UnusedPages[],
): DocumentSourceDetail {
  return {
    ...toSource(row, pages),
    urls: row.urls === null ? null : JSON.parse(row.urls),
    found: Object.values(pages).reduce((sum, count) => sum + count, 0),
    unused: joinReasons(unused),
  };
}

const MAX_REASONS = 50;

/** Joins reasons that differ only in the address that they name. */
function joinReasons(unused: readonly UnusedPages[]): DocumentSourceDetail["unused"] {
  const counts = new Map<string, number>();
  for (const { reason, n } of unused) {
    const text = (reason ?? "").replace(/https?:\/\/\S*[^\s.]/g, "another page");
    counts.set(text, (counts.get(text) ?? 0) + n);
  }
  const joined = [...counts].map(([reason, count]) => ({ reason, count }));
  return joined.toSorted((one, other) => other.count - one.count).slice(0, MAX_REASONS);
}

export type PageWithDocument = Pick<SourcePageRow, "url" | "state" | "reason" | "documentId"> & {
  title: DocumentRow["title"] | null;
  documentState: DocumentRow["state"] | null;
};

export function toSourcePage({ url, state, reason, documentId, title, documentState }: PageWithDocument): SourcePage {
  return { url, state, reason, documentId, title, documentState };
}
