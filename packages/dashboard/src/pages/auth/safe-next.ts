/** The page to open after sign-in. Always a page of the dashboard, whatever `next` contains. */
export function safeNext(next: string | undefined): string {
  const home = "/dashboard";
  if (!next || !URL.canParse(next, location.origin)) return home;
  const url = new URL(next, location.origin);
  const isOurs = url.origin === location.origin && /^\/dashboard(\/|$)/.test(url.pathname);
  return isOurs ? url.pathname + url.search : home;
}
