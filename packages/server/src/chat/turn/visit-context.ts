import type { ChatRequest, ConversationContext, MessagePage } from "@foyer/contract";
import { maxPageUrlLength } from "@foyer/contract/rules/limits";

/** Request headers that describe the visit. `country` is set only behind a trusted proxy. */
export type VisitHeaders = {
  userAgent: string | undefined;
  acceptLanguage: string | undefined;
  country: string | undefined;
};

/**
 * The maximum length that is parsed, because the patterns for devices take quadratic time. Browsers send about 150
 * characters.
 */
const MAX_USER_AGENT = 1_000;

/**
 * The visit as JSON for the conversation, or null when nothing is known. Invalid values are omitted. `page` is the page
 * of the first message.
 */
export function visitContext(
  sent: ChatRequest["context"],
  page: MessagePage | null,
  headers: VisitHeaders,
): string | null {
  const context: ConversationContext = {
    page: cleanUrl(sent?.page) ?? page?.url ?? null,
    referrer: cleanUrl(sent?.referrer),
    device: detectDevice((headers.userAgent ?? "").slice(0, MAX_USER_AGENT)),
    language: cleanLanguage(sent?.language) ?? page?.language ?? cleanLanguage(headers.acceptLanguage),
    country: cleanCountry(headers.country),
  };
  return Object.values(context).some((value) => value !== null) ? JSON.stringify(context) : null;
}

/**
 * Removes the fragment and credentials, which browsers never send to a server. The query is kept to identify campaigns.
 */
function cleanUrl(value: string | null | undefined): string | null {
  const url = value ? URL.parse(value) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return (url.origin + url.pathname + url.search).slice(0, maxPageUrlLength);
}

/**
 * Null if it is not a browser. iPads that request desktop pages count as desktops because they are indistinguishable.
 */
function detectDevice(userAgent: string): ConversationContext["device"] {
  if (/iPad|Tablet|Silk\/|Android(?!.*Mobile)/.test(userAgent)) return "tablet";
  if (/Mobi|iPhone|iPod/.test(userAgent)) return "mobile";
  return /Windows NT|Macintosh|X11|CrOS/.test(userAgent) ? "desktop" : null;
}

/** The language tag of a browser or page, or null. */
export function cleanLanguage(value: string | null | undefined): string | null {
  const first = value?.split(/[,;]/, 1)[0]?.trim() ?? "";
  return first.length <= 35 && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(first) ? first : null;
}

/** Proxies send `XX` for an unknown country. */
function cleanCountry(value: string | undefined): string | null {
  const code = value?.trim().toUpperCase() ?? "";
  return /^[A-Z]{2}$/.test(code) && code !== "XX" ? code : null;
}
