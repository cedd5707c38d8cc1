/** A failure of the model after the stream began; the message is for the visitor and names no provider. */
export class ModelError extends Error {
  readonly code: "MODEL_UNAVAILABLE" | "MODEL_TIMEOUT" | "MODEL_REFUSED";

  constructor(code: ModelError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
