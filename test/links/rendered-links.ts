import { linkAddress } from "@foyer/contract/rules/safe-address";
import { Marked, type Token } from "marked";
import { type Block, parseBlocks, splitBlocks } from "../../packages/widget/src/markdown/blocks.ts";
import { parseInline } from "../../packages/widget/src/markdown/inline.ts";
import type { Inline } from "../../packages/widget/src/markdown/inline-writer.ts";

const gfm = new Marked({ gfm: true });

/** The addresses of all links and images that the widget shows for a text. */
export function listWidgetLinks(text: string): string[] {
  return splitBlocks(text).flatMap((part) => parseBlocks(part).flatMap(listBlockLinks));
}

function listBlockLinks(block: Block): string[] {
  const inline = (text: string) => listInlineLinks(parseInline(text, ["img.example"]));
  switch (block.type) {
    case "paragraph":
    case "heading":
      return inline(block.text);
    case "quote":
      return block.children.flatMap(listBlockLinks);
    case "list":
      return block.items.flat().flatMap(listBlockLinks);
    case "table":
      return [...block.head, ...block.rows.flat()].flatMap(inline);
    default:
      return [];
  }
}

function listInlineLinks(parts: readonly Inline[]): string[] {
  return parts.flatMap((part) => {
    if (part.type === "image") return [part.src];
    const own = part.type === "link" ? [part.href] : [];
    return "children" in part ? [...own, ...listInlineLinks(part.children)] : own;
  });
}

/** The addresses of all links and images of a text in GitHub's Markdown, including those of HTML. */
export function listGfmLinks(text: string): string[] {
  const found: string[] = [];
  const visit = (token: Token) => {
    if (token.type === "link" || token.type === "image") found.push(decodeEntities(token.href));
    if (token.type === "html") found.push(...listHtmlLinks(token.raw));
  };
  gfm.walkTokens(gfm.lexer(text), visit);
  return found;
}

/** The addresses in attributes, as a browser decodes them. */
function listHtmlLinks(html: string): string[] {
  return [...html.matchAll(/<[a-z][^>]*/gi)].flatMap(([tag]) =>
    [...tag.matchAll(/=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s"'>]*))/g)].map(([, ...groups]) =>
      decodeEntities(groups.join("")),
    ),
  );
}

const entities: Record<string, string> = {
  colon: ":",
  sol: "/",
  bsol: "\\",
  period: ".",
  amp: "&",
  commat: "@",
  Tab: "\t",
  NewLine: "\n",
};

function decodeEntities(text: string): string {
  return text
    .replace(/&#x([\da-f]{1,6});?/gi, (_, digits) => String.fromCodePoint(Number.parseInt(digits, 16)))
    .replace(/&#(\d{1,7});?/g, (_, digits) => String.fromCodePoint(Number(digits)))
    .replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole);
}

/** The addresses that a client of the SDK makes clickable when it shows a reply as plain text. */
export function listPlainTextLinks(text: string): string[] {
  const found = text.matchAll(/(?:\b(?:https?|ftp):\/\/|\bwww\.)[^\s<]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+/gi);
  return [...found].flatMap(([matched]) => {
    // Like all linkifiers, leave out the punctuation at the end of a sentence.
    const address = matched.replace(/[?!.,:;*_~'")]+$/, "");
    if (/^www/i.test(address)) return [`http://${address}`];
    return [address.includes("://") ? address : `mailto:${address}`];
  });
}

/** Whether a visitor who follows the address leaves for a host other than this one. Relative addresses stay. */
export function isForeign(address: string, host: string): boolean {
  const mail = /^mailto:(.*)$/i.exec(address);
  if (mail) return !new RegExp(`[@.]${host.replace(".", "\\.")}[.]?$`, "i").test(mail[1]?.split("?")[0] ?? "");
  const url = URL.parse(address, "https://shop.example/");
  if (!url) return false;
  if (!/^(?:https?|ftp):$/.test(url.protocol)) return linkAddress(address) !== null;
  const name = url.hostname.replace(/\.$/, "");
  return name !== host && !name.endsWith(`.${host}`);
}
