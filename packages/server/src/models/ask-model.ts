import { setTimeout as wait } from "node:timers/promises";
import { APICallError, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { LRUCache } from "lru-cache";
import { OutboundError } from "../outbound/outbound-error.ts";
import { parseRetryAfter } from "../outbound/retry-after.ts";
import type { ChatModel, ModelPart } from "./chat-model.ts";
import { ModelError, ReplyLimitError } from "./model-error.ts";
import { rejectsTools, withoutTools } from "./without-tools.ts";

/** milliseconds */
export type AskLimits = { idleTimeout: number; totalTimeout: number };

/** Receives the model's output. `begin` starts an attempt and discards the output of an earlier one. */
export type AnswerSink = { begin(): void; part(part: ModelPart): void };

const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;

/** Models that rejected `temperature` with a 400, per organization. Later requests to these models omit it. */
const temperatureRefusals = new LRUCache<string, true>({ max: 10_000 });
/**
 * Models that cannot call tools, per organization. Tools are offered to them again after an hour, because servers are
 * updated.
 */
const toolRefusals = new LRUCache<string, true>({ max: 10_000, ttl: 3_600_000 });

type ModelName = Pick<ChatModel, "provider" | "modelId">;

const modelKey = (organizationId: string, { provider, modelId }: ModelName) =>
  `${organizationId}/${provider}/${modelId}`;

/** Whether the organization's model has rejected tools during the last hour, as far as this process knows. */
export function refusesTools(organizationId: string, model: ModelName): boolean {
  return toolRefusals.has(modelKey(organizationId, model));
}

/**
 * Calls the model and passes its output to the sink part by part. A failure before the first token is retried (429,
 * 5xx, network errors; `Retry-After` is honored up to 20 s). A later failure is not, because the visitor has already
 * seen output. The sink is a callback because an async generator takes three times as much CPU per part.
 * @throws ModelError, the signal's reason when it was aborted, or what the sink throws
 */
export async function askModel(
  organizationId: string,
  model: ChatModel,
  request: Omit<LanguageModelV4CallOptions, "abortSignal">,
  limits: AskLimits,
  signal: AbortSignal,
  sink: AnswerSink,
): Promise<void> {
  const key = modelKey(organizationId, model);
  const endsAt = performance.now() + limits.totalTimeout;
  for (let number = 1; ; number++) {
    const attempt = startAttempt(signal, limits.idleTimeout, endsAt - performance.now());
    const state = { hasOutput: false };
    const hasTemperature = !temperatureRefusals.has(key);
    const hasTools = request.tools !== undefined && !toolRefusals.has(key);
    const accepted = hasTools || request.tools === undefined ? request : withoutTools(request);
    sink.begin();
    try {
      await callOnce(model, hasTemperature ? accepted : withoutTemperature(accepted), attempt, state, sink);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ReplyLimitError) throw error;
      if (hasTemperature && rejectsTemperature(error)) {
        temperatureRefusals.set(key, true);
        continue;
      }
      if (hasTools && rejectsTools(error)) {
        toolRefusals.set(key, true);
        continue;
      }
      const pause = state.hasOutput || number === MAX_ATTEMPTS ? null : pauseAfter(error, number);
      const isInTime = pause !== null && performance.now() + pause < endsAt;
      if (!isInTime) throw toModelError(error);
      await wait(pause, undefined, { signal });
    } finally {
      attempt.end();
    }
  }
}

/**
 * Creates the time limits of one attempt. Its signal is aborted together with the caller's signal, after `idleTimeout`
 * without output, and at the deadline. One controller with two timers uses less memory during a reply than
 * `AbortSignal.any` and `AbortSignal.timeout`.
 */
function startAttempt(signal: AbortSignal, idleTimeout: number, totalTimeout: number) {
  const controller = new AbortController();
  const giveUp = () => controller.abort(new ModelError("MODEL_TIMEOUT", "The model took too long to answer."));
  const follow = () => controller.abort(signal.reason);
  const idle = setTimeout(giveUp, idleTimeout);
  const total = setTimeout(giveUp, totalTimeout);
  signal.addEventListener("abort", follow);
  if (signal.aborted) follow();
  return {
    signal: controller.signal,
    hasNews: () => idle.refresh(),
    end() {
      clearTimeout(idle);
      clearTimeout(total);
      signal.removeEventListener("abort", follow);
    },
  };
}

async function callOnce(
  model: ChatModel,
  request: Omit<LanguageModelV4CallOptions, "abortSignal">,
  attempt: ReturnType<typeof startAttempt>,
  state: { hasOutput: boolean },
  sink: AnswerSink,
): Promise<void> {
  const orAborted = raceAgainst(attempt.signal);
  const call = { ...request, abortSignal: attempt.signal };
  let isFinished = false;
  const take = (part: ModelPart) => {
    if (isCutOff(part)) throw endedEarlyError();
    attempt.hasNews();
    if (part.type === "error") throw part.error;
    if (part.type === "finish") isFinished = true;
    if (part.type === "tool-call" || (part.type === "text-delta" && part.delta !== "")) state.hasOutput = true;
    sink.part(part);
  };
  if ("streamTo" in model) await orAborted(model.streamTo(call, take));
  else await readParts((await orAborted(model.doStream(call))).stream, take, orAborted);
  if (!isFinished) throw endedEarlyError();
}

/** Reads the stream to its end. Cancels it when `take` throws or `orAborted` rejects. */
async function readParts(
  stream: ReadableStream<ModelPart>,
  take: (part: ModelPart) => void,
  orAborted: OrAborted,
): Promise<void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await orAborted(reader.read());
      if (done) return;
      take(value);
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

const endedEarlyError = () => new Error("The stream ended before the model was done.");

type OrAborted = <T>(work: PromiseLike<T>) => Promise<T>;

/**
 * Wraps promises so that they also reject when the signal is aborted, because a provider's package may ignore the
 * signal. `Promise.race` would add a handler to one long-lived promise for every part.
 */
function raceAgainst(signal: AbortSignal): OrAborted {
  let giveUp: (reason: unknown) => void = () => {};
  signal.addEventListener("abort", () => giveUp(signal.reason), { once: true });
  return (work) =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      work.then(resolve, reject);
      if (signal.aborted) reject(signal.reason);
    });
}

/**
 * Whether the part ends a stream that was cut off or failed without an error. Such a stream ends with one of these
 * finish reasons or, for Anthropic, without a finish part.
 */
function isCutOff(part: ModelPart) {
  return (
    part.type === "finish" && (part.finishReason.unified === "interrupted" || part.finishReason.unified === "error")
  );
}

/** Returns the delay in milliseconds before the next attempt, or null when retrying would not help. */
function pauseAfter(error: unknown, attempt: number): number | null {
  if (!canPass(error)) return null;
  const asked = APICallError.isInstance(error) ? retryAfter(error.responseHeaders) : null;
  if (asked !== null) return asked <= LONGEST_WAIT_MS ? asked : null;
  return FIRST_WAIT_MS * 4 ** (attempt - 1);
}

/** Unknown failures are retried. Failures that the provider's package or our outbound guard marks as final are not. */
function canPass(error: unknown): boolean {
  if (error instanceof ModelError) return false;
  if (error instanceof OutboundError) return error.kind !== "refused" && error.kind !== "redirect";
  return (error as { isRetryable?: boolean } | null)?.isRetryable !== false;
}

/**
 * Returns the delay that the provider requests, in milliseconds. OpenAI's `retry-after-ms` is more precise than
 * `Retry-After`.
 */
function retryAfter(headers: Record<string, string> | undefined): number | null {
  const fine = headers?.["retry-after-ms"];
  if (fine && Number.isFinite(Number(fine))) return Math.max(0, Number(fine));
  return parseRetryAfter(headers?.["retry-after"]);
}

function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  return new ModelError("MODEL_UNAVAILABLE", "The model cannot be reached right now.", { cause: error });
}

function rejectsTemperature(error: unknown) {
  return APICallError.isInstance(error) && error.statusCode === 400 && /temperature/i.test(error.message);
}

function withoutTemperature<T extends { temperature?: number }>({ temperature: _, ...rest }: T) {
  return rest;
}
