import type { SourcePageRow } from "../../db/tables/documents.ts";
import type { GetResult } from "../../outbound/get-following.ts";
import { mediaTypeOf } from "../extract/declared-type.ts";
import { ROBOT_NAME } from "../extract/page-limits.ts";

type Problem = Pick<SourcePageRow, "state" | "reason">;

export const EXCLUDED_BY_ROBOTS = "robots.txt excludes the page.";
const notPublic = (status: 401 | 403) => `The page is not public (HTTP ${status}).`;
/** The reasons for skipping pages that the owner of the site does not want to be used. */
export const HIDDEN_BY_OWNER: readonly string[] = [EXCLUDED_BY_ROBOTS, notPublic(401), notPublic(403)];

const READABLE = /^(text\/(html|plain|markdown)|application\/(xhtml\+xml|pdf))$/;

/** Why a response is not a usable page, or null. A page in state `failed` may succeed in the next sync. */
export function readProblem({ status, headers, body }: GetResult): Problem | null {
  if (status === 304) return null;
  if (status === 404 || status === 410)
    return { state: "missing", reason: `The page does not exist (HTTP ${status}).` };
  if (status === 401 || status === 403) {
    return { state: "skipped", reason: notPublic(status) };
  }
  if (status === 429) return { state: "failed", reason: "The site reports too many requests (HTTP 429)." };
  if (status >= 500) return { state: "failed", reason: `The site failed to respond (HTTP ${status}).` };
  if (status !== 200)
    return { state: "skipped", reason: `The site responded with HTTP ${status} instead of the page.` };
  const type = mediaTypeOf(headers["content-type"]);
  if (type !== "" && !READABLE.test(type)) {
    return { state: "skipped", reason: `The address leads to a file of type ${type.slice(0, 100)}, not to a page.` };
  }
  return body.length === 0 ? { state: "skipped", reason: "The page is empty." } : null;
}

/** Whether `X-Robots-Tag` forbids using the page, to all robots or to this one. */
export function isNoindexHeader(headers: GetResult["headers"]): boolean {
  return [headers["x-robots-tag"] ?? []].flat().some((value) => {
    // A value can start with the robot that its rules apply to: `otherbot: noindex, nofollow`.
    const [, robot, rules = ""] = /^\s*(?:([\w-]+)\s*:)?(.*)$/s.exec(value) ?? [];
    const isForUs = robot === undefined || robot.toLowerCase() === ROBOT_NAME.toLowerCase();
    return isForUs && rules.split(",").some((rule) => /^(noindex|none)$/i.test(rule.trim()));
  });
}
