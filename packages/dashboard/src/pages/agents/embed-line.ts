import { serverUrl } from "../../data/server-address.ts";

/** The script tag that embeds an agent in a page. */
export function embedCode(agentId: string, server: string = serverUrl()): string {
  return `<script src="${server}/widget.js" data-agent-id="${agentId}" async></script>`;
}

/** The code for sites with a bundler, which use the npm package. */
export function createPackageCode(agentId: string, server: string = serverUrl()): string {
  return `import { loadFoyer } from "@foyer/widget";

await loadFoyer({ baseUrl: "${server}", agentId: "${agentId}" });`;
}

/** Where to paste the script tag in common site builders. */
export const pasteHints = [
  {
    id: "html",
    name: "HTML",
    text: "Paste it anywhere in the head or body of every page that should show the chat. A shared template or footer is the best place.",
  },
  {
    id: "wordpress",
    name: "WordPress",
    text: "Appearance → Editor → Patterns → Footer: add a “Custom HTML” block and paste the line there. With a classic theme, use a plugin for header and footer scripts.",
  },
  {
    id: "shopify",
    name: "Shopify",
    text: "Online Store → Themes → Edit code → layout/theme.liquid: paste the line just above </body> and save.",
  },
] as const;
