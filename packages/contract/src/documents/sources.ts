import Type, { type Static } from "typebox";
import {
  idParams,
  listOffset,
  nullable,
  Pagination,
  ref,
  Success,
  stringEnum,
  Timestamp,
  withDescription,
} from "../schema.ts";
import { documentStates } from "./documents.ts";

/** How often a site is synchronized. */
export const sourceSchedules = ["manual", "daily", "weekly"] as const;
export type SourceSchedule = (typeof sourceSchedules)[number];

export const sourceStates = ["idle", "queued", "running"] as const;

/** The result of a page in the latest sync that found it. */
export const sourcePageStates = ["pending", "read", "skipped", "missing", "failed"] as const;
export type SourcePageState = (typeof sourcePageStates)[number];

/** Why a sync did not read the whole site. Every error carries one of these codes with a message. */
export const sourceErrorCodes = {
  NOT_REACHABLE: "The site could not be reached, or stopped responding.",
  NOT_ALLOWED: "robots.txt does not allow reading the site.",
  NO_PAGES: "No page of the site could be read.",
  INCONCLUSIVE: "Many pages now show the same content, as they do during maintenance, so no page was removed.",
  TOO_MANY_PAGES: "The site has more pages than the limit.",
  NEEDS_JAVASCRIPT: "Pages of the site exist only after JavaScript runs in the browser, so they were not read.",
  SITEMAP_FAILED: "A sitemap could not be read, so pages may be missing.",
  DOCUMENT_LIMIT_REACHED: "The plan allows no more documents.",
  STOPPED: "A member stopped the sync. Pages that had not been read keep their earlier version.",
  INTERNAL: "The server failed to read the site. Syncing again may help.",
} as const;
export type SourceErrorCode = keyof typeof sourceErrorCodes;

export const maxSourcePages = 5_000;

const SourceError = Type.Object({
  code: stringEnum(Object.keys(sourceErrorCodes) as SourceErrorCode[], "More codes can be added later."),
  message: Type.String({ description: "What went wrong at which address, and what to do about it, in English" }),
});

const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: "Address at which the site starts. Only pages on the same host are read.",
});
const patterns = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 500 }), { maxItems: 50, description });
const include = patterns(
  "Glob patterns for paths, such as `/help/**`. Only matching pages are read. Empty: all pages. `*` matches one path segment or part of one, `**` any number of segments.",
);
const exclude = patterns("Glob patterns for paths that are not read. They take precedence over `include`.");
const urls = Type.Array(Type.String({ minLength: 1, maxLength: 2_000 }), {
  minItems: 1,
  maxItems: maxSourcePages,
  description: "Read exactly these pages instead of discovering them.",
});
const schedule = stringEnum(sourceSchedules, "How often the site is synchronized. Defaults to `weekly`.");
const maxPages = Type.Integer({
  minimum: 1,
  maximum: maxSourcePages,
  description: `How many pages to read at most. Defaults to ${maxSourcePages}.`,
});

const sourceFields = {
  id: Type.String(),
  agentId: Type.String(),
  url,
  include,
  exclude,
  schedule,
  maxPages,
  state: stringEnum(
    sourceStates,
    "`queued` until the sync starts. A sync waits while another one reads the same host.",
  ),
  error: nullable(SourceError),
  pages: Type.Object(
    {
      pending: Type.Integer({ description: "Found, but not read yet" }),
      read: Type.Integer(),
      skipped: Type.Integer({ description: "Not used, for example because of `noindex`" }),
      missing: Type.Integer({ description: "The site answered 404 or 410" }),
      failed: Type.Integer({ description: "Could not be fetched. An earlier version stays in use." }),
    },
    { description: "Number of pages by state" },
  ),
  lastSyncAt: nullable(Timestamp),
  nextSyncAt: nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
};

export const DocumentSource = Type.Object(sourceFields, {
  $id: "DocumentSource",
  description: "A website whose pages are documents of an agent. The documents carry its id as `sourceId`.",
});
export type DocumentSource = Static<typeof DocumentSource>;

export const DocumentSourceDetail = Type.Object(
  {
    ...sourceFields,
    urls: nullable(urls),
    found: Type.Integer({ description: "Number of addresses that the latest sync found on the site" }),
    unused: Type.Array(
      Type.Object({
        reason: Type.String({ description: "Why pages are not used, without their addresses" }),
        count: Type.Integer(),
      }),
      { description: "Pages that were found and not read, by reason, the most frequent first" },
    ),
  },
  { $id: "DocumentSourceDetail" },
);
export type DocumentSourceDetail = Static<typeof DocumentSourceDetail>;

const agentId = Type.String({ minLength: 1, description: "Id of the agent" });
const settings = {
  include: Type.Optional(nullable(include)),
  exclude: Type.Optional(nullable(exclude)),
  urls: Type.Optional(nullable(urls)),
  schedule: Type.Optional(nullable(schedule)),
  maxPages: Type.Optional(nullable(maxPages)),
};

export const SourceCreate = Type.Object({
  agentId,
  url,
  ...settings,
});
export type SourceCreate = Static<typeof SourceCreate>;

export const SourceChanges = Type.Object(
  { url: Type.Optional(nullable(url)), ...settings },
  { description: "Omitted fields keep their values. A sync starts if the change affects which pages are read." },
);
export type SourceChanges = Static<typeof SourceChanges>;

export const SourcePreviewRequest = Type.Object({
  url,
  include: settings.include,
  exclude: settings.exclude,
});
export type SourcePreviewRequest = Static<typeof SourcePreviewRequest>;

export const SourcePreview = Type.Object({
  url: Type.String({ description: "Where the site starts, after redirects. Create the source with this address." }),
  pages: Type.Array(Type.String(), { description: "Addresses of the pages that would be read" }),
  disallowed: Type.Integer({ description: "Pages that robots.txt excludes" }),
  foundIn: stringEnum(["sitemap", "links"]),
  isComplete: Type.Boolean({
    description: "False if the site has more pages. A sync follows links further than a preview.",
  }),
});
export type SourcePreview = Static<typeof SourcePreview>;

export const SourcePage = Type.Object({
  url: Type.String(),
  state: stringEnum(sourcePageStates),
  reason: nullable(Type.String({ description: "Why the page was skipped, is missing or failed, in English" })),
  documentId: nullable(Type.String({ description: "The document that holds the page" })),
  title: nullable(Type.String({ description: "Title of the document" })),
  documentState: nullable(stringEnum(documentStates)),
});
export type SourcePage = Static<typeof SourcePage>;

const tags = ["Sources"];
const params = idParams("source");
const config = { access: "account" } as const;
const page = {
  limit: Type.Optional(Type.Integer({ minimum: 1, description: "Defaults to 50. Values above 200 count as 200." })),
  offset: Type.Optional(listOffset),
};

export const createSource = {
  method: "POST",
  url: "/sources",
  config: { ...config, idempotent: true },
  schema: {
    tags,
    summary: "Add a website to an agent and start reading it",
    description:
      "Pages become documents of kind `page`. The crawler identifies itself as `FoyerBot`, follows robots.txt, and sends one request at a time to a host.",
    body: SourceCreate,
    response: { 201: ref(DocumentSourceDetail) },
  },
} as const;

export const listSources = {
  method: "GET",
  url: "/sources",
  config,
  schema: {
    tags,
    summary: "List websites, newest first",
    querystring: Type.Object({
      agentId: Type.Optional(
        withDescription(agentId, { description: "Id of the agent. Without it, websites of all agents are listed." }),
      ),
      ...page,
    }),
    response: { 200: Type.Object({ sources: Type.Array(ref(DocumentSource)), pagination: Pagination }) },
  },
} as const;

export const previewSource = {
  method: "POST",
  url: "/sources/preview",
  config,
  schema: {
    tags,
    summary: "List the pages of a website without adding it",
    description: "Reads the site's sitemaps. If there are none, it follows links for up to 15 seconds.",
    body: SourcePreviewRequest,
    response: { 200: SourcePreview },
  },
} as const;

export const getSource = {
  method: "GET",
  url: "/sources/:id",
  config,
  schema: {
    tags,
    summary: "Read a website's settings and state",
    params,
    response: { 200: ref(DocumentSourceDetail) },
  },
} as const;

export const listSourcePages = {
  method: "GET",
  url: "/sources/:id/pages",
  config,
  schema: {
    tags,
    summary: "List a website's pages and their state",
    params,
    querystring: Type.Object({
      state: Type.Optional(stringEnum(sourcePageStates, "Only pages with this result of the latest sync")),
      ...page,
    }),
    response: { 200: Type.Object({ pages: Type.Array(SourcePage), pagination: Pagination }) },
  },
} as const;

export const updateSource = {
  method: "PUT",
  url: "/sources/:id",
  config,
  schema: {
    tags,
    summary: "Update a website",
    params,
    body: SourceChanges,
    response: { 200: ref(DocumentSourceDetail) },
  },
} as const;

export const deleteSource = {
  method: "DELETE",
  url: "/sources/:id",
  config,
  schema: {
    tags,
    summary: "Delete a website with its documents",
    description: "The agent stops using the documents immediately. They are deleted in the background.",
    params,
    response: { 200: Success },
  },
} as const;

export const syncSource = {
  method: "POST",
  url: "/sources/:id/sync",
  config,
  schema: {
    tags,
    summary: "Synchronize a website now",
    description: "Does nothing if a sync is queued or running. Unchanged pages are not processed again.",
    params,
    response: { 202: ref(DocumentSourceDetail) },
  },
} as const;

export const stopSource = {
  method: "POST",
  url: "/sources/:id/stop",
  config,
  schema: {
    tags,
    summary: "Stop the running sync of a website",
    description: "Pages that were already read are kept. The next sync runs as scheduled.",
    params,
    response: { 200: ref(DocumentSourceDetail) },
  },
} as const;
