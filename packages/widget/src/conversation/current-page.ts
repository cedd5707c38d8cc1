import { pageUrl } from "@foyer/contract/rules/page-url";
import { sendableContext } from "../loader/page-values.ts";
import type { WidgetCore } from "../loader/widget-core.ts";

/**
 * The page as it is sent with a message: the context set by the page's own code and, unless that is disabled, its URL
 * and title.
 */
export function currentPage({ agent, options, registry }: Pick<WidgetCore, "agent" | "options" | "registry">) {
  return {
    context: sendableContext(registry),
    ...(options.sendsPage
      ? {
          url: pageUrl(location.href, agent.pageQuery),
          // An element of the page with the name `title` replaces the property.
          title: String(document.title).slice(0, 1_000),
          language: String(document.documentElement.lang || navigator.language).slice(0, 100),
        }
      : {}),
  };
}
