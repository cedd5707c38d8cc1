import { isObject } from "./json.ts";

/** Longer texts, such as whole web pages, are cut. */
const MAX_CHARACTERS = 4_000;

/** The depth at which a message is searched, which a provider may nest in the JSON of another. */
const MAX_DEPTH = 8;

/**
 * Extracts the message from an error body in any of the known formats. "" if there is none. Gateways such as OpenRouter
 * put the message of the provider behind them into `metadata.raw`, which is added.
 */
export function findProviderMessage(body: unknown): string {
  return findMessage(body, 0).slice(0, MAX_CHARACTERS);
}

function findMessage(body: unknown, depth: number): string {
  if (depth > MAX_DEPTH) return "";
  if (typeof body === "string") return findQuoted(body, depth);
  if (Array.isArray(body)) return joinMessages(body.map((item) => findMessage(item, depth + 1)));
  if (!isObject(body)) return "";
  const own = messageMembers.reduce((found, name) => found || findMessage(body[name], depth + 1), "");
  return joinMessages([own, findRaw(body.metadata, depth)]);
}

/** in the order of preference */
const messageMembers = ["error", "message", "msg", "detail", "errors", "error_description", "status_msg", "base_resp"];

function findRaw(metadata: unknown, depth: number): string {
  return isObject(metadata) ? findMessage(metadata.raw, depth + 1) : "";
}

/** A message that is itself the JSON of an error. */
function findQuoted(text: string, depth: number): string {
  if (!/^\s*[[{]/.test(text)) return text.trim();
  try {
    return findMessage(JSON.parse(text), depth + 1) || text.trim();
  } catch {
    return text.trim();
  }
}

function joinMessages(messages: string[]): string {
  return [...new Set(messages.filter((message) => message !== ""))].slice(0, 10).join(" ");
}

/**
 * The HTTP status that an error body names, for errors that arrive with status 200. Kinds of errors that have no number
 * get the status that providers use for them elsewhere.
 */
export function findErrorStatus(body: unknown): number | undefined {
  const error = isObject(body) && isObject(body.error) ? body.error : body;
  if (!isObject(error)) return undefined;
  for (const value of [error.code, error.status, error.status_code, error.http_code]) {
    const status = typeof value === "string" && /^\d{3}$/.test(value) ? Number(value) : value;
    if (typeof status === "number" && status >= 400 && status < 600) return status;
  }
  const kind = [error.type, error.code, error.status].filter((value) => typeof value === "string").join(" ");
  return kinds.find(([pattern]) => pattern.test(kind))?.[1];
}

const kinds: Array<[RegExp, number]> = [
  [/overloaded|unavailable|server_is_busy/i, 503],
  [/rate_?limit|too_many_requests|resource_exhausted/i, 429],
  [/server_error|internal_error|api_error|timeout/i, 500],
  [/authentication|invalid_api_key|unauthenticated/i, 401],
  [/permission/i, 403],
  [/insufficient_(?:quota|credits|balance)|billing|payment/i, 402],
];
