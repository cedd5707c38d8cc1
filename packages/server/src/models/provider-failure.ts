import { APICallError } from "@ai-sdk/provider";
import ipaddr from "ipaddr.js";
import { OutboundError } from "../outbound/outbound-error.ts";
import type { ChosenModel } from "./chat-model.ts";
import type { Changeover } from "./model-chain.ts";
import { ModelError } from "./model-error.ts";
import { findProviderMessage } from "./provider-message.ts";
import { providerOf } from "./provider-of.ts";

const MAX_CHARACTERS = 2_000;
/**
 * Local servers accept any key, such as `k` or `ollama`. A key of fewer characters is a part of many words, so it is
 * removed only where it stands alone, and only if it cannot be a word itself.
 */
const MIN_SECRET = 8;
/**
 * The maximum number of characters that are read. Errors of the AI SDK quote whole events, and the patterns below take
 * quadratic time, about 10 ms for this many characters.
 */
const MAX_READ = 4_000;

/** Why a model failed, for members of the organization. */
export type ProviderFailure = {
  provider: string | null;
  model: string;
  message: string;
  /** the provider's HTTP status, if it responded */
  providerStatus: number | null;
};

/**
 * The provider's message about a failure, truncated to 2,000 characters. Keys and addresses are removed: a provider may
 * quote the key that it rejected, and the address may be the operator's.
 */
export function describeFailure(error: unknown, { source, modelId }: ChosenModel): ProviderFailure {
  const cause = error instanceof ModelError ? (error.cause ?? error) : error;
  const known = { provider: source?.provider ?? null, model: source ? `${source.provider}/${modelId}` : modelId };
  if (!(error instanceof ModelError)) {
    return { ...known, provider: null, message: "The server failed. Its log has the cause.", providerStatus: null };
  }
  const providerStatus = APICallError.isInstance(cause) ? (cause.statusCode ?? null) : null;
  return { ...known, message: redact(describeCause(cause), source) || error.message, providerStatus };
}

/** Why a reply changed over to another model, with the code that the reply would have ended with. */
export function describeChangeover({ from, error }: Changeover): ProviderFailure & { code: string } {
  if ("model" in from) {
    return { ...describeFailure(error, from.model), code: error instanceof ModelError ? error.code : "INTERNAL" };
  }
  const message = `The model ${from.id} is not configured: its provider has no key.`;
  return { provider: providerOf(from.id), model: from.id, message, providerStatus: null, code: from.problem.code };
}

function describeCause(cause: unknown): string {
  if (cause instanceof OutboundError) return `${cause.publicMessage}.`;
  if (APICallError.isInstance(cause)) return findErrorMessage(cause.responseBody) || cause.message;
  if (cause instanceof Error) return cause.message;
  // The AI SDK passes on an error event inside a stream unchanged, or only its `error` property.
  const event = (cause ?? {}) as { error?: unknown };
  return findProviderMessage({ error: event.error ?? event });
}

function findErrorMessage(body: string | undefined): string {
  try {
    return findProviderMessage(JSON.parse(body ?? ""));
  } catch {
    return "";
  }
}

/** A provider's message without keys and addresses, truncated to 2,000 characters. */
export function redact(
  text: string,
  source: Pick<NonNullable<ChosenModel["source"]>, "apiKey" | "baseUrl"> | null,
): string {
  // Remove the known secrets before truncating, because a truncated key would not be recognized.
  let clean = withoutKey(limitLength(text), source?.apiKey ?? null);
  for (const part of source ? listAddressParts(source.baseUrl) : [])
    clean = clean.replaceAll(toLiteralPattern(part), "(address)");
  return (
    clean
      .replace(/\b[a-z][a-z0-9+.-]*:\/\/[^\s"'<>)\]]+/gi, "(address)")
      .replace(/(?<![\w:])\[?[\da-f.]*:[\da-f.]*:[\da-f.:]*(?:\](?::\d+)?)?(?!\w)/gi, withoutIPv6)
      .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, "(address)")
      // Does not match every name with dots, because providers mention fields such as messages.0.content.
      .replace(/\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|localdomain|lan|corp|intranet|svc)\b(?::\d+)?/gi, "(address)")
      .replace(/\b(?:sk|pk|rk|gsk|xai|key)[-_][\w*.-]{6,}|\bAIza[\w*-]{10,}|(?<=\bbearer )\S+/gi, "***")
      // PostgreSQL cannot store NUL.
      .replace(/[\s\p{Cc}]+/gu, " ")
      .trim()
      .slice(0, MAX_CHARACTERS)
      .toWellFormed()
  );
}

/** The text without the key, which providers quote in errors. */
export function withoutKey(text: string, apiKey: string | null): string {
  if (apiKey === null) return text;
  const isSecret = apiKey.length >= MIN_SECRET;
  if (!isSecret && (apiKey.length < 4 || /^[a-z]+$/i.test(apiKey))) return text;
  return text.replaceAll(isSecret ? new RegExp(RegExp.escape(apiKey), "gi") : toLiteralPattern(apiKey), "***");
}

/** The start of the text, without the word at the cut, which may be part of a key. */
function limitLength(text: string): string {
  if (text.length <= MAX_READ) return text;
  const start = text.slice(0, MAX_READ);
  const end = Math.max(start.lastIndexOf(" "), start.lastIndexOf("\n"));
  return start.slice(0, Math.max(end, 0));
}

/**
 * The parts of a base URL that an error may quote separately, longest first. A path of one segment, such as `/v1`, is
 * public. So is a name without dots, such as `ollama` or `localhost`, except in an address with its port.
 */
function listAddressParts(baseUrl: string): string[] {
  const { href, host, hostname, pathname } = new URL(baseUrl);
  const isPublic = pathname.split("/").filter(Boolean).length < 2;
  return [href, host, hostname, ...(isPublic ? [] : [pathname])].filter((part) => /[./:]/.test(part));
}

/** The text as a whole, not as a part of a longer name. */
const toLiteralPattern = (text: string) => new RegExp(`(?<![\\w-])${RegExp.escape(text)}(?![\\w-])`, "gi");

function withoutIPv6(match: string): string {
  const end = /(?:\.|(?<!:):)$/.exec(match)?.[0] ?? "";
  const address = match.slice(0, match.length - end.length).replace(/^\[|\](?::\d+)?$/g, "");
  return ipaddr.IPv6.isValid(address) ? `(address)${end}` : match;
}
