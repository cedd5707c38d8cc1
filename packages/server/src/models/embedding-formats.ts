/** Some models embed a document's passage and a visitor's question differently. */
export type EmbeddingPurpose = "document" | "query";

/** How a provider's embeddings are requested. `read` returns unchecked values in the order of the texts. */
export type EmbeddingFormat = {
  path(model: string): string;
  headers(apiKey: string): Record<string, string>;
  body(model: string, texts: readonly string[], purpose: EmbeddingPurpose): object;
  read(answer: unknown): { vectors: unknown[]; tokens: unknown };
};

type OpenAiAnswer = {
  data?: Array<{ index?: unknown; embedding?: unknown } | null>;
  usage?: { total_tokens?: unknown; prompt_tokens?: unknown } | null;
} | null;

/** `POST /embeddings`, as defined by OpenAI and implemented by Mistral, Ollama and many others. */
export const openaiFormat: EmbeddingFormat = {
  path: () => "/embeddings",
  headers: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
  body: (model, texts) => ({ model, input: texts }),
  read(answer) {
    const { data, usage } = (answer ?? {}) as NonNullable<OpenAiAnswer>;
    const entries = Array.isArray(data) ? data : [];
    const vectors: unknown[] = [];
    for (const [position, entry] of entries.entries()) {
      const index = entry?.index;
      // Some servers omit the index and respond in order.
      vectors[isIndex(index, entries.length) ? index : position] = entry?.embedding;
    }
    return { vectors, tokens: usage?.total_tokens ?? usage?.prompt_tokens };
  },
};

const isIndex = (index: unknown, length: number): index is number =>
  typeof index === "number" && Number.isInteger(index) && index >= 0 && index < length;

/** Gemini's `batchEmbedContents`. It does not report tokens. */
export const googleFormat: EmbeddingFormat = {
  path: (model) => `/models/${model}:batchEmbedContents`,
  headers: (apiKey) => ({ "x-goog-api-key": apiKey }),
  body: (model, texts, purpose) => ({
    requests: texts.map((text) => ({
      model: `models/${model}`,
      content: { parts: [{ text }] },
      taskType: purpose === "query" ? "RETRIEVAL_QUERY" : "RETRIEVAL_DOCUMENT",
    })),
  }),
  read(answer) {
    const { embeddings } = (answer ?? {}) as { embeddings?: Array<{ values?: unknown } | null> };
    const vectors = Array.isArray(embeddings) ? embeddings.map((embedding) => embedding?.values) : [];
    return { vectors, tokens: undefined };
  },
};
