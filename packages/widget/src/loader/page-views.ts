/**
 * Reports each further page view of this document: a changed path, or a page restored from the back/forward cache. It
 * does not patch `history`. The Navigation API reports changes; in browsers without it, call the returned function
 * regularly. The query does not make a new page, nor does a fragment, except for fragments that sites use as paths
 * (`#/pricing`, `#!pricing`).
 */
export function watchPageViews(onPageView: () => void, signal: AbortSignal): () => void {
  const currentLocation = () => location.pathname + (/^#[/!].*/.exec(location.hash) ?? "");
  let known = currentLocation();
  const check = () => {
    if (known === currentLocation()) return;
    known = currentLocation();
    onPageView();
  };
  for (const name of ["popstate", "hashchange"]) addEventListener(name, check, { signal });
  globalThis.navigation?.addEventListener("currententrychange", check, { signal });
  addEventListener(
    "pageshow",
    ({ persisted }) => {
      if (!persisted) return;
      known = currentLocation();
      onPageView();
    },
    { signal },
  );
  return check;
}
