import { createHash } from "node:crypto";

/** Creates a weak ETag for a body. */
export function createEntityTag(body: string | Uint8Array): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Whether `If-None-Match` lists this ETag, by the weak comparison that RFC 9110 requires. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const stripWeakPrefix = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || stripWeakPrefix(tag) === stripWeakPrefix(etag));
}
