import { APICallError } from "@ai-sdk/provider";
import { AppError } from "../errors.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { isFiltered } from "./is-filtered.ts";
import { isObject } from "./json.ts";
import { ModelError, ReplyLimitError } from "./model-error.ts";
import { findProviderMessage } from "./provider-message.ts";

/** Why a reply changed over to the next model. `circuit_open`: the model had failed a moment ago. */
export type ChangeReason =
  | "rate_limit"
  | "server_error"
  | "timeout"
  | "connection"
  | "refused_key"
  | "no_credit"
  | "unknown_model"
  | "circuit_open";

/** Reasons that do not go away by themselves within seconds. */
export const isLasting = (reason: ChangeReason): boolean =>
  reason === "refused_key" || reason === "no_credit" || reason === "unknown_model";

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
  if (status === 402) return "no_credit";
  if (status === 404 || status === 410) return "unknown_model";
  return status >= 500 ? "server_error" : findWordedReason(error);
}

/** The reason by the words of the provider: many use 400 for an account or a model that cannot be used. */
function findWordedReason(error: APICallError): ChangeReason | null {
  const text = readError(error);
  if (isAboutTools.test(text)) return null;
  return wordings.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** A refused tool can be about accounts and bills. */
const isAboutTools = /\b(?:tools?|functions?|schemas?)\b/i;

/** `model`, the name of one, and the words up to the verb. */
const model = String.raw`\bmodels?(?: (?:name|id|identifier|version))?(?:[ :=]+\S+)?\s+(?:(?:is|are|was|has|have|been|could|can|currently) )*`;

const wordings: Array<[RegExp, ChangeReason]> = [
  // Google, xAI, and Anthropic for an organization that is disabled
  [
    /\bAPI key\b[^.]{0,40}(?:not valid|invalid|expired|incorrect|revoked)|(?:invalid|incorrect|wrong) API key/i,
    "refused_key",
  ],
  [
    /\b(?:organization|account|project)\b[\w ]{0,30}(?:disabled|suspended|deactivated)|location is not supported/i,
    "refused_key",
  ],
  // Anthropic, OpenAI, LiteLLM, Alibaba, Zhipu
  [/\b(?:credits?|balance|quota|billing|payment|funds|arrearage|overdue)\b|good standing|余额|欠费/i, "no_credit"],
  [/\b(?:budget|usage|spend(?:ing)?)[\w ]{0,20} (?:limits?|exceeded|reached|exhausted)\b/i, "no_credit"],
  // LiteLLM, Mistral, Groq, Bedrock, vLLM, Hugging Face, GitHub Models, OpenRouter, LM Studio
  [
    new RegExp(
      `${model}(?:not (?:be )?(?:found|exist|available|supported|valid|recognized|accessible|loaded)|does(?: not|n['’]t) exist|reached the end|no longer|unknown|invalid|unavailable|deprecated|retired|decommissioned|discontinued|removed)`,
      "i",
    ),
    "unknown_model",
  ],
  [/\b(?:unknown|invalid|unsupported|unrecognized|no such|not a (?:valid|known|supported)) model\b/i, "unknown_model"],
  [/\bno models? (?:loaded|found|available)|not have access to (?:the |this )?model\b/i, "unknown_model"],
];

/** The codes and the message of an error, without what the message quotes: names of tools and words of visitors. */
function readError({ responseBody = "", message }: APICallError): string {
  let body: unknown;
  try {
    body = JSON.parse(responseBody);
  } catch {
    body = responseBody || message;
  }
  const error = isObject(body) && isObject(body.error) ? body.error : body;
  const codes = isObject(error) ? [error.type, error.code, error.status] : [];
  const words = (findProviderMessage(body) || message).replace(/(?<!\w)(["'`])(?:(?!\1).)*\1(?!\w)/g, " ");
  return `${codes
    .filter((code) => typeof code === "string")
    .join(" ")
    .replaceAll("_", " ")} ${words}`;
}
