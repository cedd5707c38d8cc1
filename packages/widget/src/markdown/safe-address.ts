/** An address that may be a link: web, mail, telephone, or a path on the page's own site. Null for every other. */
export function linkAddress(text: string): string | null {
  const trimmed = text.trim();
  // A browser reads `/\` like `//`, which is another site.
  if (/^(\/(?![/\\])|#)/.test(trimmed) && isPlain(trimmed)) return trimmed;
  const url = parse(trimmed);
  return url && ["https:", "http:", "mailto:", "tel:"].includes(url.protocol) ? url.href : null;
}

/** An address from which an image is shown: https from one of the hosts, or a small picture in the address itself. */
export function imageAddress(text: string, hosts: readonly string[]): string | null {
  if (/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]{1,140000}={0,2}$/.test(text)) return text;
  const url = parse(text.trim());
  return url?.protocol === "https:" && hosts.includes(url.host) ? url.href : null;
}

/** Written out in full; a user name before the host would make it look like another one's. */
function parse(text: string): URL | null {
  if (!isPlain(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.username || url.password ? null : url;
}

/** Browsers skip control characters, which hides a scheme from a reader. */
function isPlain(text: string) {
  return text.length <= 2_000 && !/[\0-\x20\x7f\\]/.test(text);
}
