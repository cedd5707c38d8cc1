/** Why embeddings were not received. The message is for members of the organization: it contains no key and no address. */
export class EmbeddingError extends Error {
  /** the provider's HTTP status; null if it did not answer, or answered something else than embeddings */
  readonly status: number | null;

  constructor(message: string, status: number | null, options?: ErrorOptions) {
    super(message, options);
    this.name = "EmbeddingError";
    this.status = status;
  }
}
