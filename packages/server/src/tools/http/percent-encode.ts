/** Percent-encodes text so that no URL parser takes any of it for syntax. Half an emoji becomes U+FFFD. */
export function percentEncode(text: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, hex);
}

/**
 * Writes text into a header value. Visible ASCII is unchanged, except `%` and the characters that separate the parts of
 * a value (`,`, `;`, `"` and `\`): a visitor who chooses the text must not add a part. Everything else is
 * percent-encoded as UTF-8, so that the receiver can decode the value and no line break ends the header.
 */
export function encodeHeader(text: string): string {
  return text.toWellFormed().replace(/[^ -~]+|[%,;"\\]|^ | $/gu, encodeURIComponent);
}
