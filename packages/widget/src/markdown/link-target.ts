import { parseUrl } from "@foyer/contract/rules/safe-address";

/** Links to other sites open in a new tab. Links within the site stay in this one, where the chat continues. */
export function linkTargetFor(href: string): { target?: string; rel?: string } {
  const isHere = parseUrl(href, location.href)?.origin === location.origin;
  return isHere ? {} : { target: "_blank", rel: "noopener noreferrer nofollow" };
}
