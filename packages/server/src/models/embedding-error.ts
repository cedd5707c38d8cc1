/**
 * Why an embedding request failed. The message is for members of the organization and contains no key and no address.
 */
export class EmbeddingError extends Error {
  /** the provider's HTTP status; null if there was no response or it contained no embeddings */
  readonly status: number | null;

  constructor(message: string, status: number | null, options?: ErrorOptions) {
    super(message, options);
    this.name = "EmbeddingError";
    this.status = status;
  }
}
