import { useEffect, useState } from "preact/hooks";
import { watchPageViews } from "../loader/page-views.ts";

/** How often browsers without the Navigation API are checked for a path changed by the page's code, in milliseconds. */
const CHECK_MS = 500;

/** The path of the page. While `isWatched`, it follows navigations within a single-page app. */
export function usePath(isWatched: boolean): string {
  const [path, setPath] = useState(location.pathname);
  useEffect(() => {
    if (!isWatched) return;
    const life = new AbortController();
    const update = () => setPath(location.pathname);
    const check = watchPageViews(update, life.signal);
    const timer = globalThis.navigation ? undefined : setInterval(check, CHECK_MS);
    update();
    return () => {
      life.abort();
      clearInterval(timer);
    };
  }, [isWatched]);
  return path;
}
