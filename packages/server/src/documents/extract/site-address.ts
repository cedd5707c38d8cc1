const MAX_ADDRESS = 2_000;
/** Tracking parameters that ads and newsletters add. They never change a page's content. */
const TRACKING = /^(utm_\w+|gclid|fbclid|msclkid|mc_cid|mc_eid)$/;
/**
 * Parameters of sessions, which servers add to every link for clients without cookies, and of the forms to reply to a
 * comment on the same page.
 */
const SESSION =
  /^(phpsessid|jsessionid|aspsessionid\w*|s?essionid|session_?id|sessid|cfid|cftoken|zenid|oscsid|replytocom)$/i;
/** Short names are sessions only with a value that looks like one. */
const SHORT_SESSION = /^(sid|s)$/i;
const SESSION_VALUE = /^(?=.*\d)[\da-z]{16,}$/i;
/** Tomcat and others write the session into the path. */
const SESSION_IN_PATH = /;(jsessionid|phpsessid|sid|sessionid)=[^/;]*/gi;

/** Removes the fragment, tracking parameters and session ids from a URL. @returns null when it is too long */
export function withoutTracking(url: URL): string | null {
  url.hash = "";
  if (url.pathname.includes(";")) url.pathname = url.pathname.replace(SESSION_IN_PATH, "");
  const removed = [...url.searchParams].filter(
    ([name, value]) =>
      TRACKING.test(name) || SESSION.test(name) || (SHORT_SESSION.test(name) && SESSION_VALUE.test(value)),
  );
  for (const [name] of removed) url.searchParams.delete(name);
  return url.href.length > MAX_ADDRESS ? null : url.href;
}

/** The host without `www.` and a final dot, which all lead to the same site. */
export function plainHost(url: URL): string {
  return url.host.replace(/^www\./, "").replace(/\.(?=:|$)/, "");
}
