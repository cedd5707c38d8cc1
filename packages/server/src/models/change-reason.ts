import { APICallError } from "@ai-sdk/provider";
import { AppError } from "../errors.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { isFiltered } from "./ask-model.ts";
import { ModelError, ReplyLimitError } from "./model-error.ts";

/** Why a reply changed over to the next model. `circuit_open`: the provider had failed a moment ago. */
export type ChangeReason = "rate_limit" | "server_error" | "timeout" | "connection" | "refused_key" | "circuit_open";

/**
 * Why another model may answer after this failure, or null when it must not: every model would be asked for the same
 * thing that the first one has refused.
 */
export function findChangeReason(error: unknown): ChangeReason | null {
  if (error instanceof AppError) return error.code === "MODEL_NOT_CONFIGURED" ? "refused_key" : null;
  if (error instanceof ReplyLimitError) return null;
  const cause = error instanceof ModelError ? (error.cause ?? error) : error;
  if (cause instanceof ModelError) return cause.code === "MODEL_TIMEOUT" ? "timeout" : null;
  if (cause instanceof OutboundError)
    return cause.kind === "refused" || cause.kind === "redirect" ? null : "connection";
  return APICallError.isInstance(cause) ? findStatusReason(cause) : "connection";
}

function findStatusReason(error: APICallError): ChangeReason | null {
  const status = error.statusCode;
  if (isFiltered(error)) return null;
  // The AI SDK gives a stream that broke the status of its response.
  if (status === undefined || status < 300) return "connection";
  if (status === 429) return "rate_limit";
  if (status === 408) return "timeout";
  if (status === 401 || status === 403) return "refused_key";
  return status >= 500 ? "server_error" : null;
}
