import type { AgentService } from "../agents/service.ts";
import type { Deps } from "../deps.ts";
import { createAnswerRecorder } from "./answers/recorder.ts";
import { createAnswerService } from "./answers/service.ts";
import { createAnswerStore } from "./answers/store.ts";
import { createDocumentWriter } from "./document-writer.ts";
import { createEmbeddings } from "./embeddings/embeddings.ts";
import { createFileStore } from "./file-store.ts";
import { createExtractor } from "./ingest/extractor.ts";
import { createFetchPage } from "./ingest/fetch-page.ts";
import { createJobQueue, LEASE_MS } from "./ingest/job-queue.ts";
import { createDocumentProcessor } from "./ingest/process-document.ts";
import { createLeasedWorker } from "./leased-worker.ts";
import { createPassageSearch } from "./search/passage-search.ts";
import { createDocumentService } from "./service.ts";
import { createDocumentStore } from "./store.ts";

/** Jobs at once. Only one file is read at a time; meanwhile others are fetched or written. */
const MAX_CONCURRENT = 8;
/** Half of the slots: an agent with thousands of pages must not keep others waiting. */
const MAX_PER_AGENT = 4;

/** Everything about documents, put together. */
export function createDocuments(deps: Deps, agents: AgentService) {
  const { log } = deps;
  const passageSearch = createPassageSearch({ db: deps.db, address: deps.config.database }, log);
  const embeddings = createEmbeddings(deps, agents, passageSearch.maintain);
  const store = createDocumentStore(deps);
  const files = createFileStore(deps.db);
  const queue = createJobQueue(deps);
  const extractor = createExtractor();
  const run = createDocumentProcessor({
    queue,
    files,
    extractor,
    fetchPage: createFetchPage(deps.outbound),
    onIndexed(agentId) {
      passageSearch.maintain(agentId);
      embeddings.notify();
    },
  });
  const worker = createLeasedWorker({
    queue,
    run,
    log,
    leaseMs: LEASE_MS,
    maxConcurrent: MAX_CONCURRENT,
    maxPerGroup: MAX_PER_AGENT,
    groupOf: ({ agentId }) => agentId,
    jobName: "document",
    idOf: ({ documentId }) => documentId,
  });
  const writer = createDocumentWriter({ store, files, log, onQueued: worker.notify });
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
    /** What reads the pages of sites into documents. */
    parts: { documents: store, files, writer, extractor },
    /** The unanswered questions, and where documents were cited. */
    answers: createAnswerService({ agents, store: answerStore, documentExists: service.get }),
    recorder: createAnswerRecorder(deps.db),
    embeddings: embeddings.service,
    /** Call it when the agent was deleted: its index is deleted in the background. */
    removeIndexOf: passageSearch.maintain,
    start(): void {
      worker.start();
      embeddings.start();
      passageSearch.startSweeps();
    },
    /** Ends the extraction process, and gives back to the queue what is not finished. */
    async stop(): Promise<void> {
      const stopping = worker.stop();
      extractor.close();
      await Promise.all([stopping, embeddings.stop()]);
      await passageSearch.close();
    },
  };
}
