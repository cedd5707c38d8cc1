import { createHash } from "node:crypto";

/** A weak tag for a body: the same text, the same tag. */
export function entityTag(body: string | Uint8Array): string {
  return `W/"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
}

/** Whether the caller has this state already; `If-None-Match` is a list, and weak tags are as good as strong ones. */
export function hasState(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const plain = (tag: string) => tag.trim().replace(/^W\//, "");
  return ifNoneMatch.split(",").some((tag) => tag.trim() === "*" || plain(tag) === plain(etag));
}
