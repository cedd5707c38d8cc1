import { pageUrl } from "@foyer/contract/rules/page-url";
import type { WidgetCore } from "../loader/widget-core.ts";

/** The server's limit for the context, in bytes of JSON. */
const MAX_CONTEXT_BYTES = 4_096;

/**
 * The page as it is sent with a message: the context set by the page's own code and, unless that is disabled, its URL
 * and title.
 */
export function currentPage({ agent, options, registry }: Pick<WidgetCore, "agent" | "options" | "registry">) {
  return {
    context: keepSendable(registry.context),
    ...(options.sendsPage
      ? {
          url: pageUrl(location.href, agent.pageQuery),
          title: document.title.slice(0, 1_000),
          language: (document.documentElement.lang || navigator.language).slice(0, 100),
        }
      : {}),
  };
}

/** The context, or null if the server would reject it, because a message must not fail because of its context. */
function keepSendable(context: Record<string, unknown>) {
  try {
    const text = JSON.stringify(context);
    if (text.startsWith("{") && new TextEncoder().encode(text).length <= MAX_CONTEXT_BYTES) return JSON.parse(text);
  } catch {
    // JSON cannot represent the value, for example because it contains a cycle. The error is reported below.
  }
  // biome-ignore lint/suspicious/noConsole: the site's developer looks here for a missing context
  console.warn("Foyer: the context is not sent, because it is not an object of at most 4 KB of JSON.");
  return null;
}
