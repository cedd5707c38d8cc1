import type { ConversationContext, VisitContext } from "@foyer/contract";

/** What the request's own headers tell about the visit. `country` is set only behind a trusted proxy. */
export type VisitHeaders = {
  userAgent: string | undefined;
  acceptLanguage: string | undefined;
  country: string | undefined;
};

const MAX_ADDRESS = 2_000;
/** The patterns for devices take quadratic time; browsers send about 150 characters. */
const MAX_USER_AGENT = 1_000;

/** Where the visitor is, as JSON for the conversation; null when nothing is known. What makes no sense is left out. */
export function visitContext(sent: VisitContext | null | undefined, headers: VisitHeaders): string | null {
  const context: ConversationContext = {
    page: addressOf(sent?.page),
    referrer: addressOf(sent?.referrer),
    device: deviceOf((headers.userAgent ?? "").slice(0, MAX_USER_AGENT)),
    language: languageOf(sent?.language) ?? languageOf(headers.acceptLanguage),
    country: countryOf(headers.country),
  };
  return Object.values(context).some((value) => value !== null) ? JSON.stringify(context) : null;
}

/** Without fragment and credentials, which never reach a server otherwise; the query tells where a visitor came from. */
function addressOf(value: string | null | undefined): string | null {
  const url = value ? URL.parse(value) : null;
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  return (url.origin + url.pathname + url.search).slice(0, MAX_ADDRESS);
}

/** Null for what is no browser. iPads that ask for desktop pages count as desktops: nothing tells them apart. */
function deviceOf(userAgent: string): ConversationContext["device"] {
  if (/iPad|Tablet|Silk\/|Android(?!.*Mobile)/.test(userAgent)) return "tablet";
  if (/Mobi|iPhone|iPod/.test(userAgent)) return "mobile";
  return /Windows NT|Macintosh|X11|CrOS/.test(userAgent) ? "desktop" : null;
}

function languageOf(value: string | null | undefined): string | null {
  const first = value?.split(/[,;]/, 1)[0]?.trim() ?? "";
  return first.length <= 35 && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$/.test(first) ? first : null;
}

/** `XX` is how proxies say that they do not know. */
function countryOf(value: string | undefined): string | null {
  const code = value?.trim().toUpperCase() ?? "";
  return /^[A-Z]{2}$/.test(code) && code !== "XX" ? code : null;
}
