import type { FoyerApi, QueuedCall } from "./foyer-api.ts";
import { readOptions } from "./loader/read-options.ts";
import { startWidget } from "./start/start-widget.ts";

const page = window as unknown as { Foyer?: unknown };

embed();

/** Starts one widget per page. A second script tag, or a page that a framework restores, does not replace it. */
function embed() {
  const waiting = page.Foyer;
  // An element of the page with the id `Foyer` appears under the same global name.
  if (typeof waiting === "object" && waiting !== null && "identify" in waiting) {
    return warn("only one widget per page. This script tag is ignored.");
  }
  const { data, baseUrl } = findScript();
  const options = baseUrl ? readOptions(data, baseUrl) : null;
  if (!options) {
    return warn("the script tag needs a data-agent-id attribute.");
  }
  const foyer = startWidget(options, () => {
    delete page.Foyer;
  });
  Object.defineProperty(page, "Foyer", {
    configurable: true,
    enumerable: true,
    get: () => foyer,
    // A page's line that prepares the queue may run after this script.
    set: (calls: unknown) => runCalls(foyer, calls),
  });
  runCalls(foyer, waiting);
}

function runCalls(foyer: FoyerApi, calls: unknown) {
  if (Array.isArray(calls)) foyer.push(...(calls as QueuedCall[]));
}

/**
 * The options and the server's URL. Modules and bundles have no current script, and some tools run a copy of the tag
 * without its attributes. Then the options come from the tag in the page.
 */
function findScript() {
  const running = document.currentScript as HTMLScriptElement | null;
  const tag = running?.dataset?.agentId ? running : document.querySelector<HTMLScriptElement>("script[data-agent-id]");
  const address = findAddress(tag) || running?.src;
  return {
    // Tag managers may drop the attributes, but not the query.
    data: { ...(address && Object.fromEntries(new URL(address).searchParams)), ...tag?.dataset },
    baseUrl: tag?.dataset.baseUrl || (address && new URL(".", address).href),
  };
}

/** The address of the script. Consent tools and optimizers move it to another attribute, such as `data-src`. */
function findAddress(script: HTMLScriptElement | null): string | undefined {
  if (!script || script.src) return script?.src;
  const source = [...script.attributes].find(({ value }) => /\/widget\.js(\?|#|$)/.test(value));
  return source && new URL(source.value, document.baseURI).href;
}

function warn(message: string) {
  // biome-ignore lint/suspicious/noConsole: the site's developer looks here for a missing widget
  console.warn(`Foyer: ${message}`);
}
