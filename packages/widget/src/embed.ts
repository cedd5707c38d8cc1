import type { FoyerApi, QueuedCall } from "./foyer-api.ts";
import { readOptions } from "./loader/read-options.ts";
import { startWidget } from "./loader/start-widget.ts";

/** Calls that the page queued before this script was loaded. */
type QueuedCalls = QueuedCall[] | Partial<FoyerApi> | undefined;

const page = window as unknown as { Foyer?: QueuedCalls };

embed(document.currentScript as HTMLScriptElement | null);

/** Starts one widget per page. A second script tag, or a page that a framework restores, does not replace it. */
function embed(script: HTMLScriptElement | null) {
  const waiting = page.Foyer;
  // An element of the page with the id `Foyer` appears under the same global name.
  if (!script) return;
  if (waiting && "identify" in waiting) {
    // biome-ignore lint/suspicious/noConsole: the site's developer looks here for a missing widget
    console.warn("Foyer: only one widget per page. This script tag is ignored.");
    return;
  }
  const options = readOptions(script.dataset, new URL(".", script.src).href);
  if (!options) {
    // biome-ignore lint/suspicious/noConsole: the site's developer looks here for a missing widget
    console.warn("Foyer: the script tag needs a data-agent-id attribute.");
    return;
  }
  const foyer = startWidget(options, () => {
    if (page.Foyer === foyer) delete page.Foyer;
  });
  page.Foyer = foyer;
  if (Array.isArray(waiting)) foyer.push(...waiting);
}
