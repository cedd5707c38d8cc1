/**
 * Returns a URL that may become a link: web, email, telephone, or a path on the page's own site. Null for anything
 * else.
 */
export function linkAddress(text: string): string | null {
  const trimmed = text.trim();
  // A browser reads `/\` as `//`, which leads to another site.
  if (/^(\/(?![/\\])|#)/.test(trimmed) && isPlain(trimmed)) return trimmed;
  const url = parse(trimmed);
  return url && ["https:", "http:", "mailto:", "tel:"].includes(url.protocol) ? url.href : null;
}

/** Returns a URL from which an image may be loaded: https on one of the hosts, or a small `data:` image. */
export function toAllowedImageAddress(text: string, hosts: readonly string[]): string | null {
  if (/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]{1,140000}={0,2}$/.test(text)) return text;
  const url = parse(text.trim());
  return url?.protocol === "https:" && hosts.includes(url.host) ? url.href : null;
}

/** Absolute URLs only. URLs with a user name are refused, because they can look like a URL of another host. */
function parse(text: string): URL | null {
  const url = isPlain(text) ? parseUrl(text) : null;
  return !url || url.username || url.password ? null : url;
}

/** A replacement for `URL.parse`, which some supported browsers lack. */
export function parseUrl(text: string, base?: string): URL | null {
  try {
    return new URL(text, base);
  } catch {
    return null;
  }
}

/** Browsers ignore control characters in URLs, which can disguise the scheme. */
function isPlain(text: string) {
  return text.length <= 2_000 && !/[\0-\x20\x7f\\]/.test(text);
}
