/** A failure of the model during a reply. The message is shown to the visitor and does not name the provider. */
export class ModelError extends Error {
  readonly code: "MODEL_UNAVAILABLE" | "MODEL_TIMEOUT" | "MODEL_REFUSED";

  constructor(code: ModelError["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Thrown when the reply has reached its size limit. The reply ends with the text received so far. */
export class ReplyLimitError extends Error {
  constructor() {
    super("The reply has reached its limit.");
  }
}

/** A reply of a provider that exceeds a limit of size. Asking again would cost as much again. */
export class ReplySizeError extends Error {
  readonly isRetryable = false;
}
