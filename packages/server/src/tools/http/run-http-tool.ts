import type { ToolTest } from "@foyer/contract";
import type { ToolRow } from "../../db/tables.ts";
import { isExactNumber, readExactJson, toOrderedObject, toScalarText } from "../../exact-json.ts";
import { DecompressError, decompress } from "../../outbound/decompress.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { type InPieces, runInPieces } from "../../run-in-pieces.ts";
import { decodeText } from "./decode-text.ts";
import { buildRequest, declaredInputs, type HttpRequest, type RequestSources } from "./http-template.ts";
import { createMask, type Mask } from "./mask-secrets.ts";
import { ToolError } from "./tool-error.ts";

export type HttpToolOutcome = {
  /** for the visitor: the parsed JSON or the text of the response; for a failure only its kind, such as `HTTP 404` */
  result: unknown;
  isError: boolean;
  /** the text for the model, at most 32 KB and a note */
  forModel: string;
  /** the full error message for members; null on success */
  problem: string | null;
  durationMs: number;
  /** the request with secrets masked; null when it could not be built */
  request: { method: string; url: string; headers: Record<string, string>; body: string | null } | null;
  /** the response with secrets masked; null when there was none */
  response: ToolTest["response"];
};

type HttpToolDeps = RequestSources & {
  outbound: Pick<Outbound, "request">;
  signal?: AbortSignal | undefined;
  /** for the whole exchange; 10 s by default */
  timeoutMs?: number;
};

/**
 * Calls an HTTP tool once. Failures of the server or the input are outcomes; it rejects only when `secretFor` throws.
 * The values of secrets are masked in the response.
 */
export async function runHttpTool(
  tool: ToolRow,
  input: Record<string, unknown>,
  deps: HttpToolDeps,
): Promise<HttpToolOutcome> {
  const startedAt = performance.now();
  let request: HttpRequest | null = null;
  let mask = await runInPieces(createMask([]));
  let answer: ToolResponse;
  let received: Received | null = null;
  try {
    request = await buildRequest(tool, declaredInputs(tool.inputSchema, input), deps);
    mask = await runInPieces(createMask(request.secrets));
    const { url, method, headers, body } = request;
    received = await deps.outbound.request({
      url,
      method,
      headers,
      body: body ?? undefined,
      trust: "untrusted",
      organizationId: tool.organizationId,
      timeoutMs: deps.timeoutMs ?? 10_000,
      maxBytes: maxAnswerBytes,
      signal: deps.signal,
    });
    answer = await runInPieces(readResponse(await readable(received), mask));
  } catch (error) {
    answer = explainFailure(error, deps.signal);
  }
  return {
    result: answer.result,
    isError: answer.problem !== null,
    forModel: cutForModel(answer.forModel),
    problem: answer.problem === null ? null : await runInPieces(mask(answer.problem)),
    durationMs: Math.round(performance.now() - startedAt),
    request: request && (await runInPieces(describeRequest(request, mask))),
    response: received && (await runInPieces(describeResponse(received, answer.told ?? "", mask))),
  };
}

type Received = Awaited<ReturnType<Outbound["request"]>>;
/** `told` is the body of a readable response, with secrets masked. */
type ToolResponse = { result: unknown; forModel: string; problem: string | null; told?: string };

/** The response with its body decompressed: some servers always compress, although another encoding was requested. */
async function readable(received: Received): Promise<Received> {
  if (received.truncated) return received;
  return { ...received, body: await decompress(received.body, received.headers["content-encoding"], maxAnswerBytes) };
}

const maxAnswerBytes = 1_000_000;
const tooLarge = `The response is larger than ${maxAnswerBytes} bytes.`;
const maxShownCharacters = 65_536;
const maxModelBytes = 32_768;
function* readResponse(received: Received, mask: Mask): InPieces<ToolResponse> {
  const { status, headers, body, truncated } = received;
  const type = String(headers["content-type"] ?? "").toLowerCase();
  const text = decodeText(body, type);
  const value = text ? yield* readValue(text, /^[^;]*[/+]json\s*(;|$)/.test(type), mask) : "";
  const told = typeof value === "string" ? value : yield* mask(JSON.stringify(value));
  if (status < 200 || status > 299) {
    const excerpt = told ? `HTTP ${status}: ${told.slice(0, 1_000).toWellFormed()}` : `HTTP ${status}`;
    return { ...toFailure(`HTTP ${status}`, excerpt, excerpt), told };
  }
  if (truncated) return toFailure("Response too large", tooLarge);
  if (text === null)
    return toFailure("Not text", `The response is not text but ${type || "bytes of an unknown type"}.`);
  if (text === "") return { result: "", forModel: `The response is empty (HTTP ${status}).`, problem: null };
  return { result: value, forModel: told, problem: null, told };
}

function explainFailure(error: unknown, signal: AbortSignal | undefined): ToolResponse {
  if (error instanceof ToolError) return toFailure(error.message, error.problem);
  if (error instanceof DecompressError) {
    const isLarge = error.kind === "too_large";
    return isLarge ? toFailure("Response too large", tooLarge) : toFailure("Not readable", error.message);
  }
  if (error instanceof OutboundError) return toFailure(error.publicMessage, error.message);
  if (signal?.aborted && error === signal.reason) return toFailure("Stopped before the response arrived");
  throw error;
}

function toFailure(result: string, problem = result, forModel = result): ToolResponse {
  return { result, forModel, problem };
}

/**
 * Parses a JSON response. A response that does not declare JSON is parsed only if the result is an object or an array.
 */
function* readValue(text: string, isDeclared: boolean, mask: Mask): InPieces<unknown> {
  const value = isDeclared || /^\s*[[{]/.test(text) ? yield* parseJson(text) : undefined;
  return value === undefined ? yield* mask(text) : yield* maskValue(value, mask);
}

/** @returns undefined for JSON that is not valid or too deep, which is treated as text */
function* parseJson(text: string): InPieces<unknown> {
  try {
    return yield* readExactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A response of 1 MB can have 500,000 values, which take 0.6 s. A thousand of them take about 1 ms. */
const VALUES_PER_PIECE = 1_000;

function* maskValue(value: unknown, mask: Mask): InPieces<unknown> {
  if (typeof value === "string") return yield* mask(value);
  if (typeof value === "number" || isExactNumber(value)) {
    const text = toScalarText(value);
    const masked = yield* mask(text);
    return masked === text ? value : masked;
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (items.length % VALUES_PER_PIECE === 0) yield;
      items.push(yield* maskValue(item, mask));
    }
    return items;
  }
  const entries: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    if (entries.length % VALUES_PER_PIECE === 0) yield;
    entries.push([yield* mask(name), yield* maskValue(inner, mask)]);
  }
  return toOrderedObject(entries);
}

function cutForModel(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxModelBytes) return text;
  let end = maxModelBytes;
  // Step back to the first byte of a character: the following bytes start with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString("utf8", 0, end)}\n\n[Truncated: these are the first ${end} of ${bytes.length} bytes.]`;
}

function* describeRequest({ method, maskedUrl, maskedHeaders, maskedBody: body }: HttpRequest, mask: Mask) {
  const headers = yield* maskHeaders(maskedHeaders, mask);
  return { method, url: yield* mask(maskedUrl), headers, body: body === null ? null : yield* mask(body) };
}

/** Describes the response and its body. If the body is not text, the description says why it is missing. */
function* describeResponse({ status, headers }: Received, told: string, mask: Mask) {
  const body = told.slice(0, maxShownCharacters).toWellFormed();
  return { status, headers: yield* maskHeaders(headers, mask), body };
}

function* maskHeaders(headers: Received["headers"], mask: Mask): InPieces<Record<string, string>> {
  const masked: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) masked[name] = yield* mask(Array.isArray(value) ? value.join(", ") : value);
  }
  return masked;
}
