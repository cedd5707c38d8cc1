import { serverPath } from "../../data/server-address.ts";

/** The page to open after sign-in. Always a page of the dashboard, whatever `next` contains. */
export function safeNext(next: string | undefined): string {
  const home = serverPath("/dashboard");
  if (!next || !URL.canParse(next, location.origin)) return home;
  const url = new URL(next, location.origin);
  const isOurs = url.origin === location.origin && `${url.pathname}/`.startsWith(`${home}/`);
  return isOurs ? url.pathname + url.search : home;
}
