import { setTimeout as wait } from "node:timers/promises";
import { APICallError, type JSONObject, type LanguageModelV4CallOptions, TypeValidationError } from "@ai-sdk/provider";
import type { ReasoningLevel } from "@foyer/contract";
import { HOUR_MS } from "@foyer/contract/rules/time";
import { LRUCache } from "lru-cache";
import { OutboundError } from "../outbound/outbound-error.ts";
import { parseRetryAfter } from "../outbound/retry-after.ts";
import { isKnownBlind } from "./blind-models.ts";
import type { ChatModel, ChosenModel, ModelCall, ModelPart, VisionSetting } from "./chat-model.ts";
import { fitRequest, learnContextLimit } from "./context-limit.ts";
import { isFiltered } from "./is-filtered.ts";
import { isObject } from "./json.ts";
import { ModelError, ReplyLimitError } from "./model-error.ts";
import {
  type FilePart,
  findRequestFiles,
  goodPicture,
  hidesPictures,
  listFiles,
  type RequestFiles,
  rejectsPictures,
  replaceFiles,
  withoutDeletedFiles,
  withoutUnsentFiles,
} from "./prompt-files.ts";
import { findErrorStatus, findProviderMessage } from "./provider-message.ts";
import { createReasoningEditor, writesThoughtsAsText } from "./reasoning.ts";
import { createFileTrials } from "./refused-files.ts";
import { createEditor, learnRefusal, listRefused, restoreRefused } from "./refused-parameters.ts";
import { createThoughtFilter } from "./thoughts.ts";
import { createToolCallTextFilter } from "./tool-call-text.ts";
import { rejectsTools, withoutTools } from "./without-tools.ts";

/** The timeouts and the longest wait before another attempt are in milliseconds. */
export type AskLimits = { idleTimeout: number; totalTimeout: number; maxAttempts?: number; longestWait?: number };

/**
 * Receives the model's output. `begin` starts an attempt and discards the output of an earlier one. `onFailedAttempt` is
 * not called for an attempt that is repeated without what the provider refused. `onUnseenPictures` is called before the
 * first output of a model that does not see a picture of the newest message.
 */
export type AnswerSink = {
  begin(): void;
  part(part: ModelPart): void;
  onFailedAttempt?(error: unknown): void;
  onUnseenPictures?(): void;
};

const MAX_ATTEMPTS = 3;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
/** How long a request waits for room for its pictures and files, before it is sent without them. */
const LONGEST_WAIT_FOR_ROOM_MS = 10_000;

/** The maximum number of times that a request is repeated without something that the provider refused. */
const MAX_REFUSALS = 8;
/**
 * Models that cannot call tools, per organization. Tools are offered to them again after an hour, because servers are
 * updated.
 */
const toolRefusals = new LRUCache<string, true>({ max: 10_000, ttl: HOUR_MS });

/**
 * Models that have rejected a picture that is known to be good, per organization, and when. Pictures are sent to them
 * again after a day.
 */
const pictureRefusals = new LRUCache<string, number>({ max: 10_000, ttl: 24 * HOUR_MS });
/** Models that have accepted a picture during the last day, per organization. */
const seeingModels = new LRUCache<string, true>({ max: 10_000, ttl: 24 * HOUR_MS });

/** The longest time, in milliseconds, in which a model shows whether it accepts a picture that is known to be good. */
const CHECK_MS = 15_000;

/** A request to a model, and how much the model should think about it. */
export type ModelRequest = Omit<LanguageModelV4CallOptions, "abortSignal" | "reasoning"> & {
  reasoningLevel?: ReasoningLevel | undefined;
};

type Model = ChatModel & { source?: Pick<NonNullable<ChosenModel["source"]>, "baseUrl"> | null } & Pick<
    ChosenModel,
    "readVision" | "fileRoom"
  >;

/**
 * Whether pictures are not sent to the model: because the organization has set it, the model has rejected them since, or
 * it is known to be blind.
 */
function isBlind(key: string, { provider, modelId }: ChatModel, setting: VisionSetting | undefined): boolean {
  const rejectedAt = pictureRefusals.get(key);
  if (rejectedAt !== undefined && rejectedAt >= (setting?.updatedAt ?? 0)) return true;
  return setting ? !setting.supportsImages : isKnownBlind(provider, modelId);
}

/** Identifies a model of an organization at a server. */
const modelKey = (
  organizationId: string,
  { provider, modelId, baseUrl }: { provider: string; modelId: string; baseUrl: string | undefined },
) => `${organizationId}/${provider}/${modelId}@${baseUrl ?? ""}`;

/** Whether the organization's model has rejected a good picture during the last day, as far as this process knows. */
export function refusesPictures(
  organizationId: string,
  { provider, modelId, baseUrl }: { provider: string; modelId: string; baseUrl: string },
): boolean {
  return pictureRefusals.has(modelKey(organizationId, { provider, modelId, baseUrl }));
}

/** Whether the organization's model has rejected tools during the last hour, as far as this process knows. */
export function refusesTools(
  organizationId: string,
  { provider, modelId, baseUrl }: { provider: string; modelId: string; baseUrl: string },
): boolean {
  return toolRefusals.has(modelKey(organizationId, { provider, modelId, baseUrl }));
}

/**
 * Calls the model and passes its output to the sink part by part. A failure before the first token is retried (429,
 * 5xx, network errors; `Retry-After` is honored up to 20 s). A later failure is not, because the visitor has already
 * seen output. The sink is a callback because an async generator takes three times as much CPU per part.
 * @throws ModelError, the signal's reason when it was aborted, or what the sink throws
 */
export async function askModel(
  model: Model,
  request: ModelRequest,
  {
    organizationId,
    limits,
    signal,
    sink,
  }: { organizationId: string; limits: AskLimits; signal: AbortSignal; sink: AnswerSink },
): Promise<void> {
  const key = modelKey(organizationId, {
    provider: model.provider,
    modelId: model.modelId,
    baseUrl: model.source?.baseUrl,
  });
  const refusedBefore = listRefused(key);
  const { maxAttempts = MAX_ATTEMPTS, longestWait = LONGEST_WAIT_MS } = limits;
  const endsAt = performance.now() + limits.totalTimeout;
  let refusals = 0;
  let hasLearned = false;
  const pictures = listFiles(request.prompt).filter(isPicture);
  const isAskedToSee = pictures.length > 0;
  const setting = isAskedToSee ? await model.readVision?.() : undefined;
  const files = createFileTrials(key, request.prompt);
  /** files that were deleted while they were sent */
  const missing = new Set<FilePart>();
  for (let number = 1; ; ) {
    const state: AttemptState = { hasOutput: false, body: undefined };
    const { reasoningLevel, ...given } = request;
    const isUnseen = isAskedToSee && isBlind(key, model, setting);
    const canRead = (part: FilePart) =>
      !missing.has(part) && !(isUnseen && isPicture(part)) && model.readsFile?.(part.mediaType) !== false;
    const isSent = (part: FilePart) => canRead(part) && !files.leavesOut(part);
    const learnFiles = () => {
      if (files.accept(canRead).includes(goodPicture)) pictureRefusals.set(key, Date.now());
      if (pictures.some(isSent)) seeingModels.set(key, true);
    };
    const prompt = withoutDeletedFiles(files.apply(given.prompt), missing);
    const asked = { ...given, prompt: isUnseen ? replaceFiles(prompt, isPicture) : prompt };
    const fitted = fitRequest(key, asked);
    const hasTools = request.tools !== undefined && !toolRefusals.has(key);
    const accepted = hasTools || request.tools === undefined ? fitted : withoutTools(fitted);
    const found = findRequestFiles(accepted.prompt);
    sink.begin();
    const hasRoom = found === null || (await takeRoom(model, found, { organizationId, signal }));
    const content = hasRoom ? found : null;
    const sent = hasRoom ? accepted : { ...accepted, prompt: withoutUnsentFiles(accepted.prompt) };
    const attempt = startAttempt(signal, limits.idleTimeout, endsAt - performance.now());
    try {
      const onOutput = () => {
        if (!hasRoom) return;
        learnFiles();
        if (hidesPictures(given.prompt, isSent)) sink.onUnseenPictures?.();
      };
      await callOnce(model, sent, { attempt, state, key, sink, onOutput, reasoningLevel, files: content });
      return;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof ReplyLimitError) throw error;
      if (!state.hasOutput) {
        if (content?.missing && !missing.has(content.missing)) {
          missing.add(content.missing);
          continue;
        }
        // A request without its files says nothing about them.
        if (hasRoom && pictures.some(isSent) && rejectsPictures(error) && !seeingModels.has(key)) {
          const isBlindNow =
            pictures.includes(goodPicture) || (await refusesGoodPicture(model, { key, signal, endsAt }));
          if (isBlindNow) {
            pictureRefusals.set(key, Date.now());
            continue;
          }
        }
        if (hasRoom && files.next(error, canRead, { isUnclear: false })) continue;
        const canLearn = refusals++ < MAX_REFUSALS;
        if (canLearn && learnContextLimit(key, error, fitted)) continue;
        if (canLearn && learnRefusal({ key, provider: model.provider }, error, findBody(error, state))) {
          hasLearned = true;
          continue;
        }
        if (canLearn && hasTools && rejectsTools(error)) {
          toolRefusals.set(key, true);
          continue;
        }
        if (hasRoom && files.next(error, canRead, { isUnclear: true })) continue;
      }
      sink.onFailedAttempt?.(error);
      const pause = state.hasOutput || number === maxAttempts ? null : pauseAfter(error, number, longestWait);
      number += 1;
      const isInTime = pause !== null && performance.now() + pause < endsAt;
      if (!isInTime) {
        // What was left out in vain was not what the provider refused.
        if (hasLearned) restoreRefused(key, refusedBefore);
        throw toModelError(error);
      }
      await wait(pause, undefined, { signal });
    } finally {
      attempt.end();
      content?.release();
    }
  }
}

const isPicture = ({ mediaType }: FilePart) => mediaType.startsWith("image/");

/** Whether the model refuses a picture that every other model can read, so that it is blind. */
async function refusesGoodPicture(
  model: ChatModel,
  { key, signal, endsAt }: { key: string; signal: AbortSignal; endsAt: number },
): Promise<boolean> {
  const attempt = startAttempt(signal, CHECK_MS, Math.min(CHECK_MS, endsAt - performance.now()));
  const state: AttemptState = { hasOutput: false, body: undefined };
  const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Reply: OK" }, goodPicture] }];
  const sink = {
    begin() {},
    part({ type }: ModelPart) {
      // The model has accepted the picture, and the rest of its reply would cost tokens.
      if (type !== "stream-start" && type !== "response-metadata") throw new ReplyLimitError();
    },
  };
  try {
    const options = { attempt, state, key, sink, onOutput: undefined, reasoningLevel: undefined, files: null };
    await callOnce(model, { prompt }, options);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ReplyLimitError)) return rejectsPictures(error);
  } finally {
    attempt.end();
  }
  seeingModels.set(key, true);
  return false;
}

/**
 * Waits until the server has room for the pictures and files of a request, which ends when they have been sent.
 * @returns whether they may be sent
 */
async function takeRoom(
  { fileRoom }: Pick<Model, "fileRoom">,
  files: RequestFiles,
  { organizationId, signal }: { organizationId: string; signal: AbortSignal },
): Promise<boolean> {
  if (!fileRoom) return true;
  // A request that is larger than an address's share takes the whole share.
  const weight = Math.min(Math.ceil(files.bytes / 1_024), Math.floor(fileRoom.size / 2));
  const holder = { owner: organizationId, address: files.address, weight };
  const waiting = AbortSignal.any([signal, AbortSignal.timeout(LONGEST_WAIT_FOR_ROOM_MS)]);
  const release = await fileRoom.acquire(holder, waiting).catch(() => null);
  if (release) files.onRelease(release);
  // The signal may have been aborted in the turn in which the room was taken.
  if (signal.aborted) files.release();
  signal.throwIfAborted();
  return release !== null;
}

type AttemptState = {
  hasOutput: boolean;
  /** the body of the request, if the model says what it sends */
  body: JSONObject | undefined;
};

/** The body of the refused request. The AI SDK's errors have it. */
function findBody(error: unknown, { body }: AttemptState): JSONObject | undefined {
  const values = APICallError.isInstance(error) ? error.requestBodyValues : undefined;
  return body ?? (isObject(values) ? (values as JSONObject) : undefined);
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
    hasNews: () => void idle.refresh(),
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
  {
    attempt,
    state,
    key,
    sink,
    onOutput,
    reasoningLevel,
    files,
  }: {
    attempt: ReturnType<typeof startAttempt>;
    state: AttemptState;
    key: string;
    sink: AnswerSink;
    /** called before the first output */
    onOutput: (() => void) | undefined;
    files: RequestFiles | null;
  } & Pick<ModelRequest, "reasoningLevel">,
): Promise<void> {
  const orAborted = raceAgainst(attempt.signal);
  const edit = createEditor(key);
  const setReasoning = createReasoningEditor(model, reasoningLevel);
  const call: ModelCall = {
    ...request,
    abortSignal: attempt.signal,
    onActivity: attempt.hasNews,
    files,
    editBody(body) {
      const complete = setReasoning ? setReasoning(body) : body;
      state.body = edit ? edit(complete) : complete;
      return state.body;
    },
  };
  let isFinished = false;
  const pass = (part: ModelPart) => {
    if (part.type === "tool-call" || (part.type === "text-delta" && part.delta !== "")) {
      if (!state.hasOutput) onOutput?.();
      state.hasOutput = true;
    }
    sink.part(part);
  };
  const toolNames = new Set(request.tools?.map(({ name }) => name));
  const filter = createThoughtFilter(
    { key, modelId: model.modelId, isAskedToThink: writesThoughtsAsText(model, reasoningLevel) },
    createToolCallTextFilter(toolNames, pass),
  );
  const take = (part: ModelPart) => {
    if (isCutOff(part)) throw endedEarlyError();
    attempt.hasNews();
    if (part.type === "error") throw toStreamError(part.error);
    if (part.type === "finish") isFinished = true;
    filter(part);
  };
  if ("streamTo" in model) await orAborted(model.streamTo(call, take));
  else await readParts((await orAborted(model.doStream(call))).stream, take, orAborted);
  if (!isFinished) throw endedEarlyError();
}

/**
 * The AI SDK passes on an error event unchanged, or only its `error` property. As an error with the provider's status it
 * is retried and described like any other.
 */
function toStreamError(error: unknown): unknown {
  const value = TypeValidationError.isInstance(error) ? error.value : error;
  if (value instanceof Error) return value;
  const message = findProviderMessage(value);
  if (message === "") return error;
  const statusCode = findErrorStatus(value);
  return new APICallError({
    message,
    url: "",
    requestBodyValues: undefined,
    data: value,
    ...(statusCode !== undefined && { statusCode }),
  });
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
function pauseAfter(error: unknown, attempt: number, longestWait: number): number | null {
  if (!canPass(error)) return null;
  const asked = APICallError.isInstance(error) ? retryAfter(error.responseHeaders) : null;
  if (asked !== null) return asked <= longestWait ? asked : null;
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

/**
 * A request that the provider refuses is refused again until the owner changes something: the key, the model, the budget
 * or the question. Everything else may be right the next time.
 */
function toModelError(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  if (!APICallError.isInstance(error)) {
    return new ModelError("MODEL_UNAVAILABLE", "The model cannot be reached right now.", { cause: error });
  }
  if (isFiltered(error)) return new ModelError("MODEL_REFUSED", "The model declined to answer this.", { cause: error });
  const status = error.statusCode ?? 0;
  const isRefused = status >= 400 && status < 500 && !temporary.has(status);
  return isRefused
    ? new ModelError("MODEL_REFUSED", "The model's provider refused the request.", { cause: error })
    : new ModelError("MODEL_UNAVAILABLE", "The model cannot be reached right now.", { cause: error });
}

const temporary = new Set([408, 409, 425, 429]);
