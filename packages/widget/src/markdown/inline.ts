import { linkAddress, toAllowedImageAddress } from "@foyer/contract/rules/safe-address";
import { createInlineWriter, type Inline, plainText, type Style, toTextNode } from "./inline-writer.ts";

const styles: Record<string, Style> = { "**": "strong", __: "strong", "*": "em", _: "em", "~~": "del" };

/** Each repetition is bounded or can start at one position only, so matching takes linear time. */
const token = new RegExp(
  [
    "\\\\([!-/:-@[-`{-~])",
    "(`+)",
    "(\\*\\*|__|\\*|_|~~)",
    "(!?\\[)",
    "\\](?:\\(\\s{0,9}(?:<([^<>\\n]{0,2000})>|([^\\s()<>]{0,2000}(?:\\([^\\s()<>]{0,500}\\)[^\\s()<>]{0,999})?))(?:\\s{1,9}(?:\"[^\"\\n]{0,500}\"|'[^'\\n]{0,500}'))?\\s{0,9}\\))?",
    "(\\\\?\\n)",
    '(https?://[^\\s<>"`，。、！？；：（）「」『』【】《》〈〉“”‘’…\\u3000]+)',
    "<((?:https?://|mailto:)[^\\s<>]{1,2000})>",
    "(?<![\\w.+-])([\\w.+-]{1,64}@[\\w-]{1,64}(?:\\.[\\w-]{1,64}){1,8})",
  ].join("|"),
  "g",
);

/**
 * Parses emphasis, code, links and images of Markdown in one pass. HTML is text, and only URLs that safe-address.ts
 * accepts become links or images.
 * @param imageHosts the hosts from which images are shown; other images become links
 * @param isUnfinished whether the text is still streaming in, so open emphasis ends here for now
 */
export function parseInline(text: string, imageHosts: readonly string[], isUnfinished = false): Inline[] {
  const writer = createInlineWriter();
  /** The lengths of backtick runs that do not occur again. */
  const deadTicks = new Set<number>();
  let at = 0;

  const readCode = (ticks: string) => {
    const end = deadTicks.has(ticks.length) ? -1 : endOfCode(text, at, ticks);
    if (end < 0) {
      deadTicks.add(ticks.length);
      return writer.say(ticks);
    }
    writer.add({ type: "code", text: trimCode(text.slice(at, end)) });
    at = end + ticks.length;
  };

  /** `before` and `after` are the characters beside the mark: `2 * 3` and `snake_case` are not emphasis. */
  const readMark = (mark: string, before: string, after: string) => {
    const isInWord = mark.startsWith("_") && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after);
    const index = writer.find(mark);
    if (!isInWord && index >= 0 && /\S/.test(before) && !writer.isEmpty(index)) {
      const { children } = writer.take(index);
      writer.add({ type: styles[mark] ?? "em", children });
    } else if (isInWord || !/\S/.test(after) || !writer.open(mark)) writer.say(mark);
  };

  const closeBracket = (start: number, target: string | undefined) => {
    const index = writer.find("[", "![");
    if (index < 0 || target === undefined) {
      // The bracket does not belong to a link, as in `[1]`.
      if (index >= 0) writer.giveUp(index);
      at = start + 1;
      return writer.say("]");
    }
    const { mark, children } = writer.take(index);
    writer.add(...(mark === "![" ? toImage(target, children, imageHosts) : toLink(target, children)));
  };

  token.lastIndex = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [whole, escaped, ticks, mark, bracket, angled, plain, line, address, autolink, mail] = found;
    writer.say(text.slice(at, found.index));
    at = found.index + whole.length;
    if (escaped !== undefined) writer.say(escaped);
    else if (ticks !== undefined) readCode(ticks);
    else if (mark !== undefined) readMark(mark, text[found.index - 1] ?? " ", text[at] ?? " ");
    else if (bracket !== undefined) writer.open(bracket) || writer.say(bracket);
    else if (whole.startsWith("]")) closeBracket(found.index, angled ?? plain);
    else if (line !== undefined) writer.add({ type: "break" });
    else if (address !== undefined) {
      const url = trimAddress(address);
      at = found.index + url.length;
      writer.add(...toLink(url, [toTextNode(url)]));
    } else if (autolink !== undefined) writer.add(...toLink(autolink, [toTextNode(autolink.replace(/^mailto:/, ""))]));
    else if (mail !== undefined) writer.add(...toLink(`mailto:${mail}`, [toTextNode(mail)]));
    token.lastIndex = at;
  }
  writer.say(text.slice(at));
  return writer.end((mark) => (isUnfinished ? (styles[mark] ?? null) : null));
}

/** The position of the next run of exactly this many backticks, or -1. */
function endOfCode(text: string, from: number, ticks: string): number {
  for (let at = text.indexOf(ticks, from); at >= 0; at = text.indexOf(ticks, at)) {
    let end = at;
    while (text[end] === "`") end += 1;
    if (end - at === ticks.length) return at;
    at = end;
  }
  return -1;
}

function trimCode(text: string) {
  const line = text.replaceAll("\n", " ");
  return /^ .*\S.* $/.test(line) ? line.slice(1, -1) : line;
}

function toLink(target: string, children: Inline[]): Inline[] {
  const href = linkAddress(target);
  if (href === null) return children;
  // Remove links from the label, because links cannot be nested.
  return [{ type: "link", href, children: children.length > 0 ? withoutLinks(children) : [toTextNode(target)] }];
}

function toImage(target: string, children: Inline[], hosts: readonly string[]): Inline[] {
  const alt = plainText(children);
  const src = toAllowedImageAddress(target, hosts);
  if (src !== null) return [{ type: "image", src, alt }];
  return toLink(target, [toTextNode(alt || target)]);
}

function withoutLinks(children: readonly Inline[]): Inline[] {
  return children.flatMap((child) => (child.type === "link" ? child.children : [child]));
}

/** Punctuation at the end of a sentence is not part of a URL, nor is a closing bracket that was opened before it. */
function trimAddress(address: string): string {
  // Chinese and Japanese text follows an address without a space, and addresses that are copied from a browser escape it.
  const [ascii = address] = /^https?:\/\/[!-~]+(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])/.exec(address) ?? [];
  let url = ascii.replace(/[.,;:!?'"*_~\]]+$/, "");
  if (url.endsWith(")") && !url.includes("(")) url = url.slice(0, -1).replace(/[.,;:!?]+$/, "");
  return url;
}
