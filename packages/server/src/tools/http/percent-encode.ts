/** Percent-encodes text so that no URL parser takes any of it for syntax. Half an emoji becomes U+FFFD. */
export function percentEncode(text: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text.toWellFormed()).replace(/[!'()*]/g, hex);
}
