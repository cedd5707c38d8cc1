/**
 * Tells of each further page view of this document: another path, by whatever means the site's code got there, or the
 * page coming back from the browser's cache of pages. Changes nothing of `history`: newer browsers tell of every change;
 * for the others what is returned is to be called now and then. What comes after `?` makes no other page, nor does a place within
 * the page, but for the hashes that sites use as paths (`#/pricing`, `#!pricing`).
 */
export function watchPageViews(tell: () => void, signal: AbortSignal): () => void {
  const here = () => location.pathname + (/^#[/!].*/.exec(location.hash) ?? "");
  let known = here();
  const check = () => {
    if (known === here()) return;
    known = here();
    tell();
  };
  for (const name of ["popstate", "hashchange"]) addEventListener(name, check, { signal });
  globalThis.navigation?.addEventListener("currententrychange", check, { signal });
  addEventListener(
    "pageshow",
    ({ persisted }) => {
      if (!persisted) return;
      known = here();
      tell();
    },
    { signal },
  );
  return check;
}
