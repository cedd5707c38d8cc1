import { maxPageUrlLength } from "./limits.ts";

/**
 * The part of a page's URL that is sent and stored: origin, path, and the query parameters that the agent lists. Other
 * parameters can be private, such as the token of a reset link. Null for anything but http and https.
 */
export function pageUrl(address: string, parameters: readonly string[]): string | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (!/^https?:$/.test(url.protocol)) return null;
  const kept = new URLSearchParams([...url.searchParams].filter(([name]) => parameters.includes(name)));
  return `${url.origin}${url.pathname}${kept.size > 0 ? `?${kept}` : ""}`.slice(0, maxPageUrlLength);
}
