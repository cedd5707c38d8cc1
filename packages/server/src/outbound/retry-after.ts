/**
 * Parses a `Retry-After` header: seconds or an HTTP date (RFC 9110, section 10.2.3).
 * @returns milliseconds from now, 0 for a past date, or null for a missing or invalid header
 */
export function parseRetryAfter(header: string | string[] | undefined, now = Date.now()): number | null {
  const text = String(header ?? "").trim();
  const ms = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isFinite(ms) ? Math.max(0, ms) : null;
}
