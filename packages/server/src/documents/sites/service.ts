import type {
  DocumentSourceDetail,
  SourceChanges,
  SourceCreate,
  SourcePageState,
  SourcePreviewRequest,
} from "@foyer/contract";
import { maxSourcePages } from "@foyer/contract";
import { pagePatternProblem } from "@foyer/contract/rules/match-page";
import { omitUndefined } from "@foyer/contract/rules/omit-undefined";
import type { AgentService } from "../../agents/service.ts";
import type { Principal } from "../../auth/sessions/authenticate.ts";
import { isDuplicate, isMissingReference } from "../../db/database-errors.ts";
import type { SourceRow } from "../../db/tables/documents.ts";
import type { Deps } from "../../deps.ts";
import { AppError, checkAll, invalid, notFound } from "../../errors.ts";
import type { PartialBody } from "../../http/body-rules.ts";
import type { SaveResponse } from "../../http/idempotency.ts";
import { isId, newId } from "../../ids.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import type { DocumentWriter } from "../document-writer.ts";
import { withoutTracking } from "../extract/site-address.ts";
import type { DocumentStore } from "../store.ts";
import type { PageStore } from "./page-store.ts";
import type { createPreview } from "./preview.ts";
import { noPages, type PageCounts, toSource, toSourceDetail, toSourcePage } from "./source-columns.ts";
import type { SourceStore } from "./source-store.ts";
import { syncIntervals } from "./sync-queue.ts";

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
const MAX_SOURCES_PER_AGENT = 50;
/** The number of documents of a deleted site that are disabled per step. */
const DISABLED_AT_ONCE = 100;

type Parts = {
  agents: AgentService;
  store: SourceStore;
  pages: PageStore;
  documents: DocumentStore;
  writer: DocumentWriter;
  preview: ReturnType<typeof createPreview>;
  onQueued: () => void;
};
type Page = { limit?: number; offset?: number };

export type SourceService = ReturnType<typeof createSourceService>;

export function createSourceService({ outbound }: Pick<Deps, "outbound">, parts: Parts) {
  return {
    ...readers(parts),
    ...createChecks(outbound, parts),
    ...writers(outbound, parts),
    ...createActions(parts),
    preview: createPreviewer(outbound, parts),
  };
}

function readers({ store }: Parts) {
  return {
    async list(organizationId: string, { agentId, ...wanted }: Page & { agentId?: string }) {
      const page = clampPage(wanted);
      const { rows, total } = await store.list(organizationId, agentId, page);
      const counts = await store.counts(organizationId, rows);
      return {
        sources: rows.map((row) => toSource(row, counts.get(row.id) ?? noPages)),
        pagination: { total, ...page },
      };
    },
    async get(organizationId: string, id: string): Promise<DocumentSourceDetail> {
      return readDetail(store, await findSource(store, organizationId, id));
    },
    async pages(organizationId: string, id: string, { state, ...wanted }: Page & { state?: SourcePageState }) {
      const source = await findSource(store, organizationId, id);
      const page = clampPage(wanted);
      const { rows, total } = await store.pages(source, state, page);
      return { pages: rows.map(toSourcePage), pagination: { total, ...page } };
    },
  };
}

/** Checks that apply to the usable part of a body that its schema refuses. */
function createChecks(outbound: Deps["outbound"], { store }: Parts) {
  return {
    /** @throws 400 */
    checkPartOfNew({ body }: PartialBody<SourceCreate>): void {
      checkSettings(outbound, body, null);
    },
    /** @throws 400, or 404 */
    async checkPart(organizationId: string, id: string, { body, refused }: PartialBody<SourceChanges>): Promise<void> {
      const { url } = await findSource(store, organizationId, id);
      checkSettings(outbound, body, refused.has("url") ? null : url);
    },
  };
}

function createPreviewer(outbound: Deps["outbound"], { preview }: Parts) {
  return async (organizationId: string, { url, include, exclude }: SourcePreviewRequest, disconnected: AbortSignal) => {
    checkSettings(outbound, { url, include: include ?? null, exclude: exclude ?? null }, null);
    const input = {
      url: startAddress(outbound, url).href,
      include: [...(include ?? [])],
      exclude: [...(exclude ?? [])],
      maxPages: maxSourcePages,
    };
    return preview(organizationId, input, disconnected);
  };
}

function writers(outbound: Deps["outbound"], { agents, store, documents, writer, onQueued }: Parts) {
  return {
    /** Adds a site. Its first sync is due immediately. */
    async create(
      { organizationId }: Principal,
      input: SourceCreate,
      keep?: SaveResponse,
    ): Promise<DocumentSourceDetail> {
      await agents.get(organizationId, input.agentId);
      checkSettings(outbound, input, null);
      const row = createRow(outbound, organizationId, input);
      const source = toSourceDetail(row, noPages, []);
      await store
        .inTransaction(async (trx) => {
          if (!(await store.insert(trx, row, MAX_SOURCES_PER_AGENT))) throw tooManySourcesError();
          await keep?.(trx, row.agentId, source);
        })
        .catch((error: unknown) => {
          if (isDuplicate(error)) throw duplicateSourceError();
          throw isMissingReference(error) ? notFound("Agent") : error;
        });
      onQueued();
      return source;
    },
    /** Changes a site. Starts a sync if the change affects which pages are read. */
    async update(organizationId: string, id: string, input: SourceChanges): Promise<DocumentSourceDetail> {
      const source = await findSource(store, organizationId, id);
      checkSettings(outbound, input, source.url);
      const changes = applyChanges(outbound, source, input);
      if (changes.host !== undefined && changes.host !== source.host && input.urls === undefined) {
        const counts = await store.counts(organizationId, [source]);
        requireNothingToLose(source, changes.host, counts.get(id) ?? noPages);
      }
      const restartsSync = (["url", "include", "exclude", "urls", "maxPages"] as const).some(
        (name) => changes[name] !== undefined && changes[name] !== source[name],
      );
      const updated = await store.change(source, changes, { restartsSync }).catch((error: unknown) => {
        throw isDuplicate(error) ? duplicateSourceError() : error;
      });
      if (!updated) throw notFound("Source");
      if (restartsSync) onQueued();
      return readDetail(store, updated);
    },
    /** Deletes a site. The agent stops using its documents before this resolves; they are deleted in the background. */
    async delete(organizationId: string, id: string): Promise<void> {
      await store.markDeleted(await findSource(store, organizationId, id));
      for (;;) {
        const rows = await documents.ofSource(organizationId, id, { limit: DISABLED_AT_ONCE, isEnabled: true });
        if (rows.length === 0) break;
        await writer.disable(organizationId, rows);
        await new Promise(setImmediate);
      }
      onQueued();
    },
  };
}

function createActions({ store, pages, onQueued }: Parts) {
  return {
    /** Queues a sync, unless one is queued or running. */
    async sync(organizationId: string, id: string): Promise<DocumentSourceDetail> {
      const source = await findSource(store, organizationId, id);
      const queued = await store.queue(source);
      if (queued) onQueued();
      return readDetail(store, queued ?? (await findSource(store, organizationId, id)));
    },
    /** Stops a sync in any process. The process that runs it loses its lease and writes nothing more. */
    async stop(organizationId: string, id: string): Promise<DocumentSourceDetail> {
      const source = await findSource(store, organizationId, id);
      await store.inTransaction(async (trx) => {
        if (await store.stop(trx, source, syncIntervals[source.schedule])) await pages.settlePending(trx, source);
      });
      return readDetail(store, await findSource(store, organizationId, id));
    },
  };
}

async function findSource(store: SourceStore, organizationId: string, id: string): Promise<SourceRow> {
  const row = isId("source", id) ? await store.get(organizationId, id) : undefined;
  if (!row) throw notFound("Source");
  return row;
}

async function readDetail(store: SourceStore, row: SourceRow): Promise<DocumentSourceDetail> {
  const counts = await store.counts(row.organizationId, [row]);
  return toSourceDetail(row, counts.get(row.id) ?? noPages, await store.unused(row));
}

const clampPage = ({ limit, offset = 0 }: Page) => ({ limit: Math.min(limit ?? DEFAULT_PAGE, MAX_PAGE), offset });

function createRow(outbound: Deps["outbound"], organizationId: string, input: SourceCreate): SourceRow {
  const { agentId, schedule, maxPages } = input;
  const url = startAddress(outbound, input.url);
  const now = Date.now();
  return {
    id: newId("source"),
    organizationId,
    agentId,
    url: url.href,
    host: url.host,
    include: JSON.stringify(input.include ?? []),
    exclude: JSON.stringify(input.exclude ?? []),
    urls: parseChosenPages(url, input.urls),
    schedule: schedule ?? "weekly",
    maxPages: maxPages ?? maxSourcePages,
    state: "queued",
    errorCode: null,
    errorMessage: null,
    sync: 0,
    phase: "discovering",
    isComplete: 1,
    attempts: 0,
    fence: 0,
    dueAt: null,
    lastSyncAt: null,
    createdAt: now,
    updatedAt: now,
  };
}

/** The columns that a request changes. `null` resets a setting to its default. */
function applyChanges(outbound: Deps["outbound"], source: SourceRow, input: SourceChanges): Partial<SourceRow> {
  const { url, include, exclude, urls, schedule, maxPages } = input;
  const start = url == null ? new URL(source.url) : startAddress(outbound, url);
  return {
    ...(url == null ? {} : { url: start.href, host: start.host }),
    ...(schedule === undefined ? {} : scheduleColumns(source, schedule ?? "weekly")),
    ...omitUndefined({
      include: include === undefined ? undefined : JSON.stringify(include ?? []),
      exclude: exclude === undefined ? undefined : JSON.stringify(exclude ?? []),
      urls: urls === undefined ? undefined : parseChosenPages(start, urls),
      maxPages: maxPages === null ? maxSourcePages : maxPages,
    }),
  };
}

/** Reschedules an idle source. A queued or running sync schedules the next one itself when it ends. */
function scheduleColumns(source: SourceRow, schedule: SourceRow["schedule"]): Partial<SourceRow> {
  if (schedule === source.schedule || source.state !== "idle") return { schedule };
  const interval = syncIntervals[schedule];
  return { schedule, dueAt: interval === null ? null : (source.lastSyncAt ?? source.createdAt) + interval };
}

/**
 * Checks what the schema of the body cannot express.
 * @param before the site's address unless the request changes it; null when it is unknown
 * @throws 400 with the path of a problem in each setting
 */
function checkSettings(
  outbound: Deps["outbound"],
  { url, include, exclude, urls }: SourceChanges,
  before: string | null,
): void {
  let start: URL | null = null;
  checkAll([
    () => {
      if (url != null) start = startAddress(outbound, url);
      // An address that the site already has is not checked again, so a site that may no longer be read can still be
      // paused.
      else if (before !== null) start = new URL(before);
    },
    () => checkPatterns("include", include),
    () => checkPatterns("exclude", exclude),
    () => {
      if (start) parseChosenPages(start, urls);
    },
  ]);
}

/** @throws 400 when this server cannot read the address */
function startAddress(outbound: Deps["outbound"], address: string): URL {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw invalid("url", "must be an http or https address such as https://example.com/help", "format");
  }
  if (url.username !== "" || url.password !== "") {
    throw invalid("url", "must not contain a user name or password", "format");
  }
  url.hash = "";
  try {
    outbound.checkUrl(url.href);
    return url;
  } catch (error) {
    throw error instanceof OutboundError ? invalid("url", error.message, "format") : error;
  }
}

function checkPatterns(path: string, patterns: readonly string[] | null | undefined): void {
  for (const [index, pattern] of (patterns ?? []).entries()) {
    // After a question mark, any text is a pattern for the query.
    const [ofPath = ""] = pattern.split("?", 1);
    const problem = pattern.includes("#") ? "must not contain #, because no page has one" : pagePatternProblem(ofPath);
    if (problem !== null) throw invalid(`${path}.${index}`, problem, "pattern");
  }
}

/** Normalizes the URLs of the chosen pages as the crawler does. @throws 400 for a page on another host */
function parseChosenPages(start: URL, urls: readonly string[] | null | undefined): string | null {
  if (urls == null) return null;
  const pages = urls.map((address, index) => {
    const url = URL.parse(address);
    if (url?.host !== start.host || !/^https?:$/.test(url.protocol)) {
      throw invalid(`urls.${index}`, `must be an address on ${start.host}`, "format");
    }
    url.protocol = start.protocol;
    const page = withoutTracking(url);
    if (page === null) throw invalid(`urls.${index}`, "is too long", "max_length");
    return page;
  });
  return JSON.stringify([...new Set(pages)]);
}

/**
 * The next sync deletes all pages that are not on the source's host. A request that also sends `urls` names the pages
 * that replace them. Without `urls`, the address can only be changed while the site has no pages.
 * @throws 400
 */
function requireNothingToLose(source: SourceRow, host: string, pages: PageCounts): void {
  const count = Object.values(pages).reduce((sum, n) => sum + n, 0);
  if (count === 0 && source.urls === null) return;
  const kept = count === 1 ? "the page" : `the ${count} pages`;
  throw invalid(
    "url",
    `is on another host, so ${kept} of ${source.host} would be deleted. Add ${host} as a new site and delete this one once it has been read. To replace the pages right away, send \`urls\` as well; null stands for all pages of ${host}.`,
    "format",
  );
}

function duplicateSourceError(): AppError {
  return new AppError("CONFLICT", "This agent already has a site with this address. Edit that site instead.");
}

function tooManySourcesError(): AppError {
  return new AppError(
    "CONFLICT",
    `An agent can have at most ${MAX_SOURCES_PER_AGENT} sites. Delete one, or combine several parts of a website into one site.`,
  );
}
