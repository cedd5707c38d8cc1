import { setTimeout as wait } from "node:timers/promises";
import { APICallError, type LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ChatModel, ModelPart } from "./chat-model.ts";
import { ModelError } from "./model-error.ts";

/** milliseconds */
export type AskLimits = { idleTimeout: number; totalTimeout: number };

const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;

/** Models that answered 400 to a temperature; they don't get one again. */
const refusesTemperature = new Set<string>();

/**
 * The model's answer, part by part. What fails before the first word is tried again (429, 5xx, network; `Retry-After`
 * is honoured up to 20 s); what fails later is not, because it was already shown.
 * @throws ModelError, or the signal's reason when it was aborted
 */
export async function* askModel(
  model: ChatModel,
  request: Omit<LanguageModelV4CallOptions, "abortSignal">,
  limits: AskLimits,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(limits.totalTimeout)]);
  for (let attempt = 1; ; attempt++) {
    const state = { hasOutput: false };
    try {
      yield* once(model, withoutRefused(model, request), limits.idleTimeout, deadline, state);
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (rejectsTemperature(error) && !refusesTemperature.has(keyOf(model))) {
        refusesTemperature.add(keyOf(model));
        continue;
      }
      const pause = state.hasOutput || deadline.aborted || attempt === MAX_ATTEMPTS ? null : pauseAfter(error, attempt);
      if (pause === null) throw toModelError(error, deadline);
      await wait(pause, undefined, { signal: deadline }).catch(() => {
        signal.throwIfAborted();
        throw toModelError(error, deadline);
      });
    }
  }
}

/** One attempt. A silence longer than `idleTimeout` aborts it. */
async function* once(
  model: ChatModel,
  request: Omit<LanguageModelV4CallOptions, "abortSignal">,
  idleTimeout: number,
  deadline: AbortSignal,
  state: { hasOutput: boolean },
): AsyncGenerator<ModelPart> {
  const stalled = new AbortController();
  const idle = setTimeout(() => stalled.abort(new ModelError("MODEL_TIMEOUT", TOO_SLOW)), idleTimeout);
  const abortSignal = AbortSignal.any([deadline, stalled.signal]);
  const aborted = new Promise<never>((_, reject) => {
    abortSignal.addEventListener("abort", () => reject(abortSignal.reason), { once: true });
  });
  aborted.catch(() => {});
  let reader: ReadableStreamDefaultReader<ModelPart> | undefined;
  let isFinished = false;
  try {
    // Raced, because nothing says that a provider's code ends when it is told to.
    const { stream } = await Promise.race([model.doStream({ ...request, abortSignal }), aborted]);
    reader = stream.getReader();
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), aborted]);
      if (done && isFinished) return;
      if (done || isCutOff(value)) throw new Error("The stream ended before the model was done.");
      idle.refresh();
      if (value.type === "error") throw value.error;
      if (value.type === "finish") isFinished = true;
      if (value.type === "tool-call" || (value.type === "text-delta" && value.delta !== "")) state.hasOutput = true;
      yield value;
    }
  } finally {
    clearTimeout(idle);
    reader?.cancel().catch(() => {});
  }
}

const TOO_SLOW = "The model took too long to answer.";

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

function toModelError(error: unknown, deadline: AbortSignal): ModelError {
  if (error instanceof ModelError) return error;
  if (deadline.aborted) return new ModelError("MODEL_TIMEOUT", TOO_SLOW, { cause: error });
  return new ModelError("MODEL_UNAVAILABLE", "The model cannot be reached right now.", { cause: error });
}

function rejectsTemperature(error: unknown) {
  return APICallError.isInstance(error) && error.statusCode === 400 && /temperature/i.test(error.message);
}

const keyOf = (model: ChatModel) => `${model.provider}/${model.modelId}`;

function withoutRefused<T extends { temperature?: number }>(model: ChatModel, request: T): T {
  if (request.temperature === undefined || !refusesTemperature.has(keyOf(model))) return request;
  const { temperature: _, ...rest } = request;
  return rest as T;
}
