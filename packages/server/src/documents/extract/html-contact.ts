import { isBlockTag } from "./html-elements.ts";

/** Parts of a page that `extractHtml` drops, but in which sites say how to reach them. */
const edgeTags = new Set(["header", "footer", "aside", "address"]);
const edgeRoles = new Set(["banner", "contentinfo", "complementary"]);
const footerName = /^(site|page|main|global)?[-_]?(footer|colophon|imprint|contact([-_]?info)?)$/i;
const unread = new Set(["script", "style", "noscript", "template", "svg", "select", "textarea", "button", "form"]);

/** Links whose text is contact information, in contrast to links to pages. */
const contactLink = /^(tel|mailto|sms|geo|https?:\/\/(maps\.|www\.google\.[a-z.]+\/maps|goo\.gl\/maps|wa\.me\/))/i;

/** A phone number, an email address, a time span or a postal code before the name of a place. */
const contactSign =
  /(?:\+|\b0|\()\d(?:[\s()./-]{0,2}\d){6,}|\b\d{3}[-. ]\d{3}[-. ]\d{4}\b|[\w.+-]+@[\w-]+\.\w{2,}|\d{1,2}(?:[:.h]\d{2})?\s?(?:am|pm|uhr|h)?\s?(?:[-–—]|to|bis)\s?\d{1,2}(?:[:.h]\d{2}|\s?(?:am|pm|uhr|h)\b)|\b\d{4,5}\s+\p{Lu}\p{L}|\b[A-Z]{1,2}\d[A-Z\d]?\s\d[A-Z]{2}\b/iu;
const copyright = /^\s*(©|\(c\)|copyright\b)|all rights reserved/i;

const MAX_LINES = 40;
const MAX_LINE = 300;

type Line = { text: string; isFooter: boolean; isContact: boolean };

/**
 * Collects how to reach the owner of a site: address, phone numbers, email and opening hours in the parts of a page that
 * are not its content. Links to other pages are left out.
 */
export function createContactCollector() {
  const path: { tag: string; isEdge: boolean; isFooter: boolean; isUnread: boolean; isContact: boolean }[] = [];
  const lines: Line[] = [];
  let text = "";
  let isMarked = false;

  function flush(): void {
    const line = text.replace(/\s+/g, " ").trim();
    const { isEdge = false, isFooter = false } = path.at(-1) ?? {};
    if (isEdge && line !== "" && line.length <= MAX_LINE && !copyright.test(line)) {
      lines.push({ text: line, isFooter, isContact: isMarked || contactSign.test(line) });
    }
    text = "";
    isMarked = false;
  }

  return {
    open(tag: string, { role = "", class: names = "", id = "", href = "" }: Record<string, string>): void {
      if (tag === "br" || isBlockTag(tag)) flush();
      const parent = path.at(-1);
      const isFooter =
        tag === "footer" ||
        role === "contentinfo" ||
        tag === "address" ||
        `${names} ${id}`.split(/\s+/).some((name) => footerName.test(name));
      const isContact = tag === "a" && contactLink.test(href);
      path.push({
        tag,
        isEdge: (parent?.isEdge ?? false) || isFooter || edgeTags.has(tag) || edgeRoles.has(role),
        isFooter: (parent?.isFooter ?? false) || isFooter,
        isUnread: (parent?.isUnread ?? false) || unread.has(tag) || (tag === "a" && !isContact),
        isContact: (parent?.isContact ?? false) || tag === "address" || isContact,
      });
    },
    text(value: string): void {
      const element = path.at(-1);
      if (!element?.isEdge || element.isUnread) return;
      text += value;
      if (element.isContact && value.trim() !== "") isMarked = true;
    },
    close(tag: string): void {
      if (isBlockTag(tag)) flush();
      path.pop();
    },
    /**
     * The lines that the content does not contain, or null without any contact information. Of a footer, other lines
     * are included as well, such as the names above phone numbers.
     */
    result(content: string): string | null {
      const known = new Set(content.split("\n").map((line) => line.trim()));
      const found = lines.filter((line) => !known.has(line.text));
      const chosen = new Set(
        found
          .filter(({ isFooter, isContact }) => isFooter || isContact)
          .slice(0, MAX_LINES)
          .map((line) => line.text),
      );
      return found.some(({ isContact }) => isContact) ? [...chosen].join("\n") : null;
    },
  };
}
