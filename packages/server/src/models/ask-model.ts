import { setTimeout as wait } from "node:timers/promises";
import { APICallError, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { LRUCache } from "lru-cache";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ChatModel, ModelPart } from "./chat-model.ts";
import { ModelError, ReplyLimitError } from "./model-error.ts";

/** milliseconds */
export type AskLimits = { idleTimeout: number; totalTimeout: number };

/** Where the answer goes; `begin` says that an attempt starts, so that what an earlier one left is dropped. */
export type AnswerSink = { begin(): void; part(part: ModelPart): void };

const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;

/** Models of accounts that answered 400 to a temperature; they don't get one again. */
const refusesTemperature = new LRUCache<string, true>({ max: 10_000 });

/**
 * Asks the model and hands over its answer part by part. What fails before the first word is tried again (429, 5xx,
 * network; `Retry-After` is honoured up to 20 s); what fails later is not, because it was already shown. Parts go to a
 * callback: a generator costs three times as much for each.
 * `account` is whose call it is.
 * @throws ModelError, the signal's reason when it was aborted, or what the sink throws
 */
export async function askModel(
  account: string,
  model: ChatModel,
  request: Omit<LanguageModelV4CallOptions, "abortSignal">,
  limits: AskLimits,
  signal: AbortSignal,
  sink: AnswerSink,
): Promise<void> {
  const temperatureKey = `${account}/${model.provider}/${model.modelId}`;
  const endsAt = performance.now() + limits.totalTimeout;
  for (let number = 1; ; number++) {
    const attempt = startAttempt(signal, limits.idleTimeout, endsAt - performance.now());
    const state = { hasOutput: false };
    const refused = refusesTemperature.has(temperatureKey);
    sink.begin();
    try {
      await once(model, refused ? withoutTemperature(request) : request, attempt, state, sink);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ReplyLimitError) throw error;
      if (rejectsTemperature(error) && !refused) {
        refusesTemperature.set(temperatureKey, true);
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
 * The time limits of one attempt: its signal is aborted with the caller's, after a silence, and at the deadline. With one
 * controller and two timers, because `AbortSignal.any` and `.timeout` hold more memory for as long as a reply lasts.
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

async function once(
  model: ChatModel,
  request: Omit<LanguageModelV4CallOptions, "abortSignal">,
  attempt: ReturnType<typeof startAttempt>,
  state: { hasOutput: boolean },
  sink: AnswerSink,
): Promise<void> {
  const orAborted = raceAgainst(attempt.signal);
  let reader: ReadableStreamDefaultReader<ModelPart> | undefined;
  let isFinished = false;
  try {
    const { stream } = await orAborted(model.doStream({ ...request, abortSignal: attempt.signal }));
    reader = stream.getReader();
    for (;;) {
      const { done, value } = await orAborted(reader.read());
      if (done && isFinished) return;
      if (done || isCutOff(value)) throw new Error("The stream ended before the model was done.");
      attempt.hasNews();
      if (value.type === "error") throw value.error;
      if (value.type === "finish") isFinished = true;
      if (value.type === "tool-call" || (value.type === "text-delta" && value.delta !== "")) state.hasOutput = true;
      sink.part(value);
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}

/**
 * Makes promises that also reject when the signal is aborted, because nothing says that a provider's code ends when it is
 * told to. `Promise.race` would add to one long-lived promise with every part.
 */
function raceAgainst(signal: AbortSignal) {
  let giveUp: (reason: unknown) => void = () => {};
  signal.addEventListener("abort", () => giveUp(signal.reason), { once: true });
  return <T>(work: PromiseLike<T>) =>
    new Promise<T>((resolve, reject) => {
      giveUp = reject;
      work.then(resolve, reject);
      if (signal.aborted) reject(signal.reason);
    });
}

/** A stream that broke off, or failed without saying so, ends with such a finish, or (Anthropic's) with none at all. */
function isCutOff(part: ModelPart) {
  return (
    part.type === "finish" && (part.finishReason.unified === "interrupted" || part.finishReason.unified === "error")
  );
}

/** Milliseconds to wait before the next attempt, or null when another one would not help. */
function pauseAfter(error: unknown, attempt: number): number | null {
  if (!canPass(error)) return null;
  const asked = APICallError.isInstance(error) ? retryAfter(error.responseHeaders) : null;
  if (asked !== null) return asked <= LONGEST_WAIT_MS ? asked : null;
  return FIRST_WAIT_MS * 4 ** (attempt - 1);
}

/** Unknown failures are worth another attempt; what the provider's package or our own guard says is final is not. */
function canPass(error: unknown): boolean {
  if (error instanceof ModelError) return false;
  if (error instanceof OutboundError) return error.kind !== "refused" && error.kind !== "redirect";
  return (error as { isRetryable?: boolean } | null)?.isRetryable !== false;
}

/** `Retry-After` in milliseconds: seconds or a date; `retry-after-ms` is OpenAI's finer one. */
function retryAfter(headers: Record<string, string> | undefined): number | null {
  const fine = headers?.["retry-after-ms"];
  if (fine && Number.isFinite(Number(fine))) return Math.max(0, Number(fine));
  const value = headers?.["retry-after"];
  if (!value) return null;
  const ms = /^\d+(\.\d+)?$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
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
