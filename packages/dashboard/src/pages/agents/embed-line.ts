/** The one line that puts an agent on a page. */
export function embedLine(agentId: string, origin: string = location.origin): string {
  return `<script src="${origin}/widget.js" data-agent-id="${agentId}" async></script>`;
}

/** The same for pages that are made by a program. */
export function packageLines(agentId: string, origin: string = location.origin): string {
  return `import { loadFoyer } from "@foyer/widget";

await loadFoyer({ baseUrl: "${origin}", agentId: "${agentId}" });`;
}

/** Where the line goes in what people build their pages with. */
export const pasteHints = [
  {
    id: "html",
    name: "HTML",
    text: "Into every page that should have the chat, anywhere in its head or body. A template or a footer that all pages share is the best place.",
  },
  {
    id: "wordpress",
    name: "WordPress",
    text: "Appearance → Editor → Patterns → Footer: add a block “Custom HTML” and paste it there. With a classic theme, a plugin for header and footer scripts does the same.",
  },
  {
    id: "shopify",
    name: "Shopify",
    text: "Online Store → Themes → Edit code → layout/theme.liquid: paste it just above </body>, and save.",
  },
] as const;
