/** An address that may become a link: web, mail, telephone, or a path on the page's own site. Null for anything else. */
export function linkAddress(text: string): string | null {
  const trimmed = text.trim();
  // A browser reads `/\` like `//`, which is another site.
  if (/^(\/(?![/\\])|#)/.test(trimmed) && isPlain(trimmed)) return trimmed;
  const url = parse(trimmed);
  return url && ["https:", "http:", "mailto:", "tel:"].includes(url.protocol) ? url.href : null;
}

/** An address that an image may be loaded from: https on one of the hosts, or a small `data:` image. */
export function imageAddress(text: string, hosts: readonly string[]): string | null {
  if (/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]{1,140000}={0,2}$/.test(text)) return text;
  const url = parse(text.trim());
  return url?.protocol === "https:" && hosts.includes(url.host) ? url.href : null;
}

/** Absolute URLs only. One with a user name is refused: it could pass for the address of another host. */
function parse(text: string): URL | null {
  const url = isPlain(text) ? parseUrl(text) : null;
  return !url || url.username || url.password ? null : url;
}

/** `URL.parse`, which only newer browsers than the widget supports have. */
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
