import { isUtf8 } from "node:buffer";
import type { ToolTest } from "@foyer/contract";
import type { ToolRow } from "../../db/tables.ts";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { OutboundError } from "../../outbound/outbound-error.ts";
import { buildRequest, declaredInputs, type HttpRequest, percentEncode, ToolError } from "./http-template.ts";

export type HttpToolOutcome = {
  /** for the visitor: the parsed JSON or the text of the answer; of a failure only its kind, such as `HTTP 404` */
  result: unknown;
  isError: boolean;
  /** what the model is told, at most 32 KB and a note */
  forModel: string;
  /** what went wrong, in full, for a member of the account; null when nothing did */
  problem: string | null;
  durationMs: number;
  /** what was sent, secrets masked; null when it could not be put together */
  request: { method: string; url: string; headers: Record<string, string>; body: string | null } | null;
  /** what came back, secrets masked; null when nothing did */
  response: ToolTest["response"];
};

type HttpToolDeps = {
  outbound: Pick<Outbound, "request">;
  secretFor(name: string, host: string): Promise<string | null>;
  signal?: AbortSignal;
  /** for the whole exchange; 10 s unless a test cannot wait */
  timeoutMs?: number;
};

/**
 * Calls an http tool once. Whatever the other side or the input does is an outcome; rejects only with what `secretFor`
 * throws. The values of secrets are masked in all that comes back.
 */
export async function runHttpTool(
  tool: ToolRow,
  input: Record<string, unknown>,
  deps: HttpToolDeps,
): Promise<HttpToolOutcome> {
  const startedAt = performance.now();
  let request: HttpRequest | null = null;
  let mask: Mask = (text) => text;
  let answer: Answer;
  let received: Received | null = null;
  try {
    request = await buildRequest(tool, declaredInputs(tool.inputSchema, input), deps.secretFor);
    mask = createMask(request.secrets);
    const { url, method, headers, body } = request;
    const limits = { timeoutMs: deps.timeoutMs ?? 10_000, maxBytes: maxAnswerBytes };
    const sent = { url, method, headers, ...(body === null ? {} : { body }), trust: "account" as const };
    received = await deps.outbound.request({ ...sent, ...limits, ...(deps.signal ? { signal: deps.signal } : {}) });
    answer = readAnswer(received, mask);
  } catch (error) {
    answer = explainFailure(error, deps.signal);
  }
  return {
    result: answer.result,
    isError: answer.problem !== null,
    forModel: cutForModel(answer.forModel),
    problem: answer.problem === null ? null : mask(answer.problem),
    durationMs: Math.round(performance.now() - startedAt),
    request: request && describeRequest(request, mask),
    response: received && describeResponse(received, answer.told ?? "", mask),
  };
}

type Received = Awaited<ReturnType<Outbound["request"]>>;
/** `told` is the body of an answer that could be read, secrets masked. */
type Answer = { result: unknown; forModel: string; problem: string | null; told?: string };
type Mask = (text: string) => string;

const maxAnswerBytes = 1_000_000;
const maxShownCharacters = 65_536;
const maxModelBytes = 32_768;
/** Deeper JSON stays text: whoever walks a value by recursion must not run out of stack. */
const maxDepth = 100;

function readAnswer(received: Received, mask: Mask): Answer {
  const { status, headers, body, truncated } = received;
  const encoding = String(headers["content-encoding"] ?? "identity");
  const type = String(headers["content-type"] ?? "").toLowerCase();
  const text = encoding === "identity" ? decode(body, type) : null;
  const value = text ? readValue(text, /^[^;]*[/+]json\s*(;|$)/.test(type), mask) : "";
  const told = mask(typeof value === "string" ? value : JSON.stringify(value));
  if (status < 200 || status > 299) {
    const excerpt = told ? `HTTP ${status}: ${told.slice(0, 1_000).toWellFormed()}` : `HTTP ${status}`;
    return { ...failure(`HTTP ${status}`, excerpt, excerpt), told };
  }
  if (truncated) return failure("Response too large", `The answer is longer than ${maxAnswerBytes} bytes.`);
  if (encoding !== "identity") {
    return failure("Not readable", `The answer is compressed (${encoding}) although it was asked for as it is.`);
  }
  if (text === null) return failure("Not text", `The answer is not text but ${type || "bytes of no stated type"}.`);
  if (text === "") return { result: "", forModel: `The answer is empty (HTTP ${status}).`, problem: null };
  return { result: value, forModel: told, problem: null, told };
}

function explainFailure(error: unknown, signal: AbortSignal | undefined): Answer {
  if (error instanceof ToolError) return failure(error.message, error.problem);
  if (error instanceof OutboundError) return failure(error.publicMessage, error.message);
  if (signal?.aborted && error === signal.reason) return failure("Stopped before the answer came");
  throw error;
}

function failure(result: string, problem = result, forModel = result): Answer {
  return { result, forModel, problem };
}

/** The text of a body; null when its type says, or without one its bytes, that it is none. */
function decode(body: Buffer, contentType: string): string | null {
  const type = contentType.split(";", 1)[0]?.trim() ?? "";
  const isText = type === "" ? isUtf8(body) && !body.includes(0) : textTypes.test(type);
  if (body.length > 0 && !isText) return null;
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/.exec(contentType)?.[1];
  return decoderFor(charset).decode(body);
}

const textTypes =
  /^text\/|\+(json|xml|yaml)$|^application\/(json|(x-)?ndjson|jsonl|xml|(x-)?yaml|(x-)?javascript|x-www-form-urlencoded)$/;

function decoderFor(charset: string | undefined): TextDecoder {
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}

/** The value of a JSON answer. What is not declared as JSON counts as such only when it is an object or an array. */
function readValue(text: string, isDeclared: boolean, mask: Mask): unknown {
  const value = isDeclared || /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (value === undefined || isDeeperThan(maxDepth, value)) return mask(text);
  return maskValue(value, mask);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeperThan(levels - 1, part));
}

function maskValue(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return mask(value);
  if (typeof value === "number") return mask(String(value)) === String(value) ? value : mask(String(value));
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [mask(name), maskValue(inner, mask)]));
}

/** Replaces secrets by `***`. Values of under 4 characters stay: they would blot out the answer, and hide nothing. */
function createMask(secrets: string[]): Mask {
  const found = new Set(secrets.filter((secret) => secret.length >= 4).flatMap(spellings));
  const longestFirst = [...found].sort((a, b) => b.length - a.length);
  const replacements = longestFirst.map(createReplacement);
  return (text) => replacements.reduce((masked, replace) => replace(masked), text);
}

/** How a service may give a text back: as it is, trimmed, within JSON, or percent-encoded in one of the usual ways. */
function spellings(secret: string): string[] {
  const plain = [secret.toWellFormed(), JSON.stringify(secret).slice(1, -1)];
  const form = (text: string) => new URLSearchParams({ x: text }).toString().slice(2);
  const encoders = [percentEncode, encodeURIComponent, encodeURI, form];
  const encoded = plain.flatMap((text) => encoders.map((encode) => encode(text)));
  const lowered = encoded.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()));
  const trimmed = secret.trim().length >= 4 ? [secret.trim()] : [];
  // What is left of a long number that JSON has without quotes.
  const rounded = /^\d{16,}$/.test(secret) ? [String(Number(secret))] : [];
  return [secret, ...plain, ...trimmed, ...rounded, ...encoded, ...lowered];
}

/**
 * Knuth-Morris-Pratt. `replaceAll` takes seconds for a secret of 10,000 characters that was made to be slow to look
 * for in an answer of 1 MB; this takes the same time for every one.
 */
function createReplacement(wanted: string): Mask {
  /** for each length matched: how much of it remains matched when the next character differs */
  const remaining = new Uint32Array(wanted.length + 1);
  const advance = (matched: number, code: number) => {
    let length = matched;
    while (length > 0 && wanted.charCodeAt(length) !== code) length = remaining[length] ?? 0;
    return wanted.charCodeAt(length) === code ? length + 1 : 0;
  };
  for (let at = 1; at < wanted.length; at++) remaining[at + 1] = advance(remaining[at] ?? 0, wanted.charCodeAt(at));

  return (text) => {
    if (text.length < wanted.length) return text;
    let replaced = "";
    let copied = 0;
    for (let at = 0, matched = 0; at < text.length; at++) {
      matched = advance(matched, text.charCodeAt(at));
      if (matched < wanted.length) continue;
      replaced += `${text.slice(copied, at + 1 - matched)}***`;
      copied = at + 1;
      matched = 0;
    }
    return replaced + text.slice(copied);
  };
}

function cutForModel(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxModelBytes) return text;
  let end = maxModelBytes;
  // Back to the first byte of a character: the others begin with the bits 10.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString("utf8", 0, end)}\n\n[Cut off here: these are the first ${end} of ${bytes.length} bytes.]`;
}

function describeRequest({ method, maskedUrl, maskedHeaders, body }: HttpRequest, mask: Mask) {
  const headers = Object.fromEntries(Object.entries(maskedHeaders).map(([name, value]) => [name, mask(value)]));
  return { method, url: mask(maskedUrl), headers, body: body === null ? null : mask(body) };
}

/** The body as it was read: what cannot be shown as text is described by the problem. */
function describeResponse({ status, headers }: Received, told: string, mask: Mask) {
  const shown = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, mask(Array.isArray(value) ? value.join(", ") : value)] as const],
  );
  return { status, headers: Object.fromEntries(shown), body: told.slice(0, maxShownCharacters).toWellFormed() };
}
