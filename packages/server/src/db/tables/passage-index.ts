import type { Generated } from "kysely";
import type { Flag, Instant } from "./column-types.ts";

/** The tables of the passage index, see documents/search/. */
export type IndexTables = {
  agentIndexes: AgentIndexRow;
  documentChunks: DocumentChunkRow;
  indexedDocuments: IndexedDocumentRow;
  indexSegments: IndexSegmentTable;
  indexPostings: IndexPostingsRow;
  chunkVectors: ChunkVectorRow;
  vectorSigns: VectorSignsRow;
  embeddingSettings: EmbeddingSettingsRow;
  agentEmbeddings: AgentEmbeddingsTable;
};

type AgentIndexRow = {
  agentId: string;
  organizationId: string;
  /** number of the agent's next chunk; numbers are never reused */
  nextNumber: number;
};

type DocumentChunkRow = {
  /** 0, 1, 2, … within the agent, in the order of indexing */
  number: number;
  organizationId: string;
  agentId: string;
  documentId: string;
  version: number;
  /** 0, 1, 2, … within the version */
  ordinal: number;
  heading: string | null;
  page: number | null;
  /** question of an FAQ entry and its other wordings, one per line */
  question: string | null;
  text: string;
};

/** The version of a document that searches find. */
type IndexedDocumentRow = {
  documentId: string;
  organizationId: string;
  agentId: string;
  version: number;
  /** the segment that has its postings */
  segmentId: number;
  title: string;
  chunks: number;
  isEnabled: Flag;
};

/** A part of an agent's index. It never changes; maintenance merges several into a new one. */
type IndexSegmentTable = {
  id: Generated<number>;
  organizationId: string;
  agentId: string;
  /** only `live` segments are searched; the postings of `dead` ones are being deleted */
  state: "live" | "building" | "dead";
  /** 0 for a single document, whose postings are in `contents`; others have theirs in `indexPostings` */
  level: number;
  chunks: number;
  /** chunks whose document has been deleted or replaced */
  deadChunks: number;
  /** words of all chunks */
  tokens: number;
  /** ISO 639-1 codes, separated by commas */
  languages: string;
  /** version of the analysis that produced its terms, see `ANALYSIS_VERSION`; the oldest of merged segments */
  analysis: number;
  /** number of the first chunk */
  firstNumber: number;
  lastNumber: number;
  /** size of `contents` */
  bytes: number;
  contents: Buffer | null;
};

type IndexPostingsRow = {
  segmentId: number;
  term: string;
  /** 0, 1, 2, … within the segment and term */
  block: number;
  /** how many chunks the block lists */
  chunks: number;
  postings: Buffer;
};

type ChunkVectorRow = {
  number: number;
  organizationId: string;
  agentId: string;
  documentId: string;
  /** provider/model; vectors of different models cannot be compared */
  model: string;
  /** int8 components */
  vector: Buffer;
};

/** The signs of the vectors of neighboring passages, which searches keep in memory. */
type VectorSignsRow = {
  agentId: string;
  model: string;
  /** counts how often signs were stored for the agent, so that a search reads only those added since the last search */
  batch: number;
  /** number of the first passage; the others follow without gaps */
  number: number;
  organizationId: string;
  documentId: string;
  passages: number;
  /** one bit per component, padded to a multiple of 32 for each passage */
  signs: Buffer;
};

type EmbeddingSettingsRow = {
  organizationId: string;
  /** provider/name */
  model: string;
  /** why the last question that could not be embedded failed */
  queryError: string | null;
  queryErrorAt: Instant | null;
  updatedAt: Instant;
};

/** How far an agent's passages are embedded with a model, and the lease of the process that embeds them. */
export type AgentEmbeddingsTable = {
  agentId: string;
  model: string;
  organizationId: string;
  /** passages with a lower number have vectors */
  nextNumber: number;
  /** greater than the number of the agent's last passage */
  endNumber: number;
  /** how often vectors were stored */
  batches: Generated<number>;
  vectors: Generated<number>;
  /** passages that the provider rejected */
  skipped: Generated<number>;
  tokens: Generated<number>;
  dimensions: number | null;
  /** 1 once another model has taken over; maintenance deletes the vectors and then the row */
  isRetired: Generated<Flag>;
  /** when all passages had vectors for the first time; searches use the model from then on */
  readyAt: Instant | null;
  /** the next attempt or the end of a lease, by the database's clock; null while there is nothing to do */
  dueAt: Instant | null;
  /** number of the lease; only the holder of the newest lease may write */
  fence: Generated<number>;
  /** failed attempts since the last success */
  attempts: Generated<number>;
  error: string | null;
  errorAt: Instant | null;
};
