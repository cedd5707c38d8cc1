/** A failure of the model after the stream began; the message is for the visitor and names no provider. */
export class ModelError extends Error {
  readonly code: "MODEL_UNAVAILABLE" | "MODEL_TIMEOUT" | "MODEL_REFUSED";

  constructor(code: ModelError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The answer grew beyond what a reply holds. It ends there, with what was said so far. */
export class ReplyLimitError extends Error {
  constructor() {
    super("The reply has reached its limit.");
  }
}
