import type { FoyerApi, QueuedCall } from "./foyer-api.ts";
import { readOptions } from "./loader/read-options.ts";
import { startWidget } from "./loader/start-widget.ts";

/** Calls that the page queued before this script was loaded. */
type Waiting = QueuedCall[] | Partial<FoyerApi> | undefined;

const page = window as unknown as { Foyer?: Waiting };

begin(document.currentScript as HTMLScriptElement | null);

/** One widget a page: a second script tag, or the same page restored by a framework, leaves the first alone. */
function begin(script: HTMLScriptElement | null) {
  const waiting = page.Foyer;
  // An element of the page with this id is found under the same name.
  if (!script) return;
  if (waiting && "identify" in waiting) {
    // biome-ignore lint/suspicious/noConsole: the site's developer looks here for the widget that is missing
    console.warn("Foyer: only one widget per page. This script tag is ignored.");
    return;
  }
  const options = readOptions(script.dataset, new URL(".", script.src).href);
  if (!options) {
    // biome-ignore lint/suspicious/noConsole: the only place where the site's maker looks for a widget that is not there
    console.warn("Foyer: the script tag needs data-agent-id.");
    return;
  }
  const foyer = startWidget(options, () => {
    if (page.Foyer === foyer) delete page.Foyer;
  });
  page.Foyer = foyer;
  if (Array.isArray(waiting)) foyer.push(...waiting);
}
