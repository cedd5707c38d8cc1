/** Other sites open beside this one; a page of this site in its place, where the chat goes on. */
export function targetOf(href: string): { target?: string; rel?: string } {
  const isHere = URL.canParse(href, location.href) && new URL(href, location.href).origin === location.origin;
  return isHere ? {} : { target: "_blank", rel: "noopener noreferrer nofollow" };
}
