import { createHash } from "node:crypto";

/** Creates a weak ETag for a body. */
export function createEntityTag(body: string | Uint8Array): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Whether `If-None-Match` or `If-Match` lists this ETag. Proxies that compress change ETags, so the weak ones count. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((tag) => tag.trim() === "*" || toPlainTag(tag) === toPlainTag(etag));
}

/** nginx makes ETags of compressed responses weak, and Apache appends the encoding. */
const toPlainTag = (tag: string) =>
  tag
    .trim()
    .replace(/^W\//, "")
    .replace(/-(?:gzip|deflate|br|zstd)"$/, '"');
