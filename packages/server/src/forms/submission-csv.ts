import type { Readable } from "node:stream";
import type { FormSubmission } from "@foyer/contract";
import type { Deps } from "../deps.ts";
import { createCsvStream } from "../http/csv.ts";
import { formatValue } from "./deliveries/delivery-content.ts";
import type { SubmissionFilter, SubmissionStore } from "./submission-store.ts";
import { filePath, toSubmission } from "./submission-view.ts";

/**
 * The maximum number of rows and bytes that are read at a time, which takes a few milliseconds between turns of the
 * event loop.
 */
const PAGE = 500;
const PAGE_BYTES = 512 * 1024;
/**
 * The maximum number of columns, because every row has all of them and a form that is edited often can accumulate many
 * fields.
 */
const MAX_FIELD_COLUMNS = 1_000;

/**
 * Streams the submissions that match the filter as CSV, newest first. After the fixed columns, there is one column for
 * each field that any submission has. Fields beyond the first 1,000 share one column as JSON. Text that a spreadsheet
 * would run as a formula is escaped. Rows are read page by page.
 */
export async function streamSubmissionsCsv(
  { config }: Pick<Deps, "config">,
  store: SubmissionStore,
  { organizationId, filter }: { organizationId: string; filter: SubmissionFilter },
): Promise<Readable> {
  const fields = new Set<string>();
  let hasMore = false;
  for await (const page of readPages(store, organizationId, filter)) {
    for (const { formData } of page) {
      for (const name of Object.keys(formData)) {
        if (fields.has(name)) continue;
        if (fields.size < MAX_FIELD_COLUMNS) fields.add(name);
        else hasMore = true;
      }
    }
  }
  const records = async function* () {
    for await (const page of readPages(store, organizationId, filter)) {
      for (const submission of page) {
        const record = toRecord(submission, fields, config.baseUrl);
        yield hasMore ? [...record, formatOtherFields(submission, fields)] : record;
      }
    }
  };
  const columns = [...fixedColumns, ...fields, ...(hasMore ? ["(more fields)"] : [])];
  return createCsvStream(columns, records());
}

const fixedColumns = ["id", "createdAt", "status", "toolName", "conversationId"] as const;

function toRecord(submission: FormSubmission, fields: ReadonlySet<string>, baseUrl: string): string[] {
  const { formData } = submission;
  const formatField = (name: string) => {
    const value = Object.hasOwn(formData, name) ? formData[name] : null;
    const url = filePath(submission.id, name);
    return isFile(value, url) ? baseUrl + url : formatValue(value);
  };
  return [...fixedColumns.map((name) => formatValue(submission[name])), ...[...fields].map(formatField)];
}

function formatOtherFields({ formData }: FormSubmission, fields: ReadonlySet<string>): string {
  const others = Object.entries(formData).filter(([name]) => !fields.has(name));
  return others.length > 0 ? JSON.stringify(Object.fromEntries(others)) : "";
}

/**
 * Whether a value is a file's metadata. A visitor can send an object that looks the same, but not with the file's URL.
 */
function isFile(value: unknown, url: string): boolean {
  return typeof value === "object" && value !== null && "file" in value && "url" in value && value.url === url;
}

async function* readPages(store: SubmissionStore, organizationId: string, filter: SubmissionFilter) {
  for (let before: string | undefined; ; ) {
    const page = { limit: PAGE, maxBytes: PAGE_BYTES, ...(before ? { before } : {}) };
    const { rows, isCut } = await store.list(organizationId, filter, page);
    const files = await store.listFiles(rows.map(({ id }) => id));
    yield rows.map((row) => toSubmission(row, { files, failing: [] }));
    before = rows.at(-1)?.id;
    if (rows.length < PAGE && !isCut) return;
  }
}
