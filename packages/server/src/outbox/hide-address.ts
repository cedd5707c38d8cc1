/**
 * Returns the scheme and host of an address, for members who may not change it. The path or the query of an incoming
 * webhook is its only secret.
 */
export function hideAddress(url: string): string {
  return URL.parse(url)?.origin ?? "";
}

/** Reduces the addresses in a text to their scheme and host. */
export function hideAddresses(text: string): string {
  return text.replace(/\bhttps?:\/\/[^\s"'<>]+/gi, hideAddress);
}
