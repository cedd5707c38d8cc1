import type { AgentService } from "../../agents/service.ts";
import type { Deps } from "../../deps.ts";
import type { DocumentWriter } from "../document-writer.ts";
import type { Extractor } from "../extract/extractor.ts";
import type { FileStore } from "../file-store.ts";
import type { DocumentStore } from "../store.ts";
import { createPageStore } from "./page-store.ts";
import { createPreview } from "./preview.ts";
import { createSourceService } from "./service.ts";
import type { SiteClients } from "./site-client.ts";
import { createSourceStore } from "./source-store.ts";
import { createSyncQueue } from "./sync-queue.ts";
import { createSiteSync } from "./sync-site.ts";
import { createSiteWorker } from "./worker.ts";

type Parts = {
  agents: AgentService;
  documents: DocumentStore;
  files: FileStore;
  writer: DocumentWriter;
  extractor: Extractor;
  siteClients: SiteClients;
};

/** Creates the parts that crawl sites and connects them. */
export function createSites(deps: Deps, { agents, documents, files, writer, extractor, siteClients: clients }: Parts) {
  const queue = createSyncQueue(deps);
  const pages = createPageStore(deps);
  const worker = createSiteWorker({
    queue,
    run: createSiteSync({ db: deps.db, clients, extractor, queue, pages, documents, files, writer }),
    log: deps.log,
  });
  const service = createSourceService(deps, {
    agents,
    store: createSourceStore(deps),
    pages,
    documents,
    writer,
    preview: createPreview({ clients, extractor }),
    onQueued: worker.notify,
  });
  return { service, worker };
}
