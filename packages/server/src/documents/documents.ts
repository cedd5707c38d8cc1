import type { AgentService } from "../agents/service.ts";
import type { Deps } from "../deps.ts";
import { createAnswerRecorder } from "./answers/recorder.ts";
import { createAnswerService } from "./answers/service.ts";
import { createAnswerStore } from "./answers/store.ts";
import { createDocumentTrash } from "./document-trash.ts";
import { createDocumentWriter } from "./document-writer.ts";
import { createEmbeddings } from "./embeddings/embeddings.ts";
import { createExtractor } from "./extract/extractor.ts";
import { createFileStore } from "./file-store.ts";
import { createFetchPage } from "./ingest/fetch-page.ts";
import { createJobQueue } from "./ingest/job-queue.ts";
import { createDocumentProcessor } from "./ingest/process-document.ts";
import { createDocumentWorker } from "./ingest/worker.ts";
import { createIngestionWrites } from "./ingestion-writes.ts";
import type { PassageSearch } from "./search/passage-search.ts";
import { createDocumentService } from "./service.ts";
import { createSiteClients } from "./sites/site-client.ts";
import { createDocumentStore } from "./store.ts";

/** Creates the parts that handle documents and connects them. */
export function createDocuments(
  deps: Deps,
  { agents, passageSearch }: { agents: AgentService; passageSearch: PassageSearch },
) {
  const { log } = deps;
  const embeddings = createEmbeddings(deps, agents, passageSearch.maintain);
  const store = createDocumentStore(deps);
  const files = createFileStore(deps.db);
  const runWrite = createIngestionWrites(deps);
  const queue = createJobQueue(deps, files, runWrite);
  const extractor = createExtractor();
  const siteClients = createSiteClients(deps.outbound);
  const run = createDocumentProcessor({
    queue,
    files,
    extractor,
    fetchPage: createFetchPage(siteClients, extractor),
    onIndexed(agentId) {
      passageSearch.maintain(agentId);
      embeddings.notify();
    },
  });
  const worker = createDocumentWorker({ queue, run, log });
  const writer = createDocumentWriter({ store, files, runWrite, log, onQueued: worker.notify });
  const answerStore = createAnswerStore(deps);
  const service = createDocumentService(
    { ...deps, passageSearch, embedQueries: embeddings.embedQueries },
    {
      agents,
      store,
      files,
      writer,
      markAnswered: async (group) => {
        await answerStore.close(group, "answered");
      },
    },
  );
  return {
    service,
    trash: createDocumentTrash(deps, { store, writer }),
    /** The parts that the site crawler needs to turn pages into documents. */
    parts: { documents: store, files, writer, extractor, siteClients },
    /** Unanswered questions and document uses. */
    answers: createAnswerService({ agents, store: answerStore, documentExists: service.get }),
    recorder: createAnswerRecorder(deps.db),
    embeddings: embeddings.service,
    start(): void {
      worker.start();
      embeddings.start();
      passageSearch.startSweeps();
    },
    /** Ends the extraction processes and releases unfinished jobs to the queue. */
    async stop(): Promise<void> {
      const stopping = worker.stop();
      extractor.close();
      await Promise.all([stopping, embeddings.stop()]);
      await passageSearch.close();
    },
  };
}
