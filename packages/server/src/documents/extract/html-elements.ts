import { isRaised, type NoteKind, noteKind, type Twin, twinKind } from "./html-marks.ts";

/** The properties of an open element, including inherited ones, that determine how its text is read. */
export type Element = {
  tag: string;
  /** its text is not read */
  isSkipped: boolean;
  /** it is what makes its text navigation */
  isNavigation: boolean;
  /** it stands on lines of its own */
  isBlock: boolean;
  isStruck: boolean;
  isRaised: boolean;
  /** whether it can be the number of a note */
  note: NoteKind | null;
  /** whether it is for eyes or for screen readers only */
  twinKind: Twin["kind"] | null;
  /** the latest child for eyes or for screen readers only */
  twin: Twin | null;
  /** where its text begins: the position and the number of the paragraph */
  start: number;
  paragraph: number;
  /** the number of characters that were skipped before it */
  skippedBefore: number;
  isMain: boolean;
  /** 0 for h1; 6 for the question of an accordion or definition list; null outside of headings */
  headingLevel: number | null;
  /** the number of child elements so far */
  children: number;
};

const toWordSet = (list: string) => new Set(list.split(" "));

/** Elements whose content is never text. Buttons are read because accordions use them for their questions. */
const unread = toWordSet(
  "script style noscript template desc metadata annotation annotation-xml canvas iframe select option textarea video audio datalist title head rt rp rtc",
);
const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];
/** Questions in accordions rank below these levels. */
export const headingLevels = headings.length;

const blocks = toWordSet(
  "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr label legend li listing main nav ol p pre search section summary table tbody text tfoot thead tr ul xmp",
);
const struckTags = toWordSet("s del strike");
const blockStyle = /(?:^|;)\s*display\s*:\s*(?:block|flex|grid|list-item|table|flow-root)\b/i;
const navigationTags = toWordSet("nav menu");
const pageParts = toWordSet("header footer aside");
const navigationRoles = toWordSet("navigation menu menubar banner contentinfo search complementary");
const mainRoles = toWordSet("main article");
/** Class names and ids that sites commonly give to navigation. The whole name must match. */
const navigationName =
  /^(site-|main-|top-|global-|primary-)?(nav|navbar|navigation|breadcrumbs?|cookie-?(banner|consent|notice|bar)?|consent|sidebar|skip-?link|pagination)$/i;

/** The signs between the parts of formulas in MathML. */
const formulaSigns: Record<string, readonly string[]> = {
  mfrac: ["/"],
  msup: ["^"],
  msub: ["_"],
  msubsup: ["_", "^"],
  mover: ["^"],
  munder: ["_"],
  munderover: ["_", "^"],
};

/** What stands before a part of a formula: `(a+b)/c^2`. */
export function formulaSign(parent: Element): string {
  const signs = formulaSigns[parent.tag];
  return signs ? (signs[parent.children - 2] ?? "") : "";
}

/** Whether a group of a formula needs parentheses, because a sign stands before or after it. */
export const isFormulaGroup = (tag: string, parent: Element | undefined): boolean =>
  tag === "mrow" && parent !== undefined && formulaSigns[parent.tag] !== undefined;

export const isBlockTag = (tag: string): boolean => blocks.has(tag);
export const isCell = (tag: string): boolean => tag === "td" || tag === "th";

export const rootElement: Element = {
  tag: "",
  isSkipped: false,
  isNavigation: false,
  isMain: false,
  isBlock: false,
  isStruck: false,
  isRaised: false,
  note: null,
  twinKind: null,
  twin: null,
  headingLevel: null,
  children: 0,
  start: 0,
  paragraph: 0,
  skippedBefore: 0,
};

/**
 * @param context.struckNames the class names that the page's own style sheets strike out
 * @param context.isWhole whether navigation is content as well
 */
export function createElement(
  tag: string,
  attributes: Record<string, string>,
  {
    parent = rootElement,
    struckNames,
    isWhole,
  }: { parent: Element | undefined; struckNames: ReadonlySet<string>; isWhole: boolean },
): Element {
  const { role = "", style = "", class: names = "" } = attributes;
  const isMain = parent.isMain || tag === "main" || tag === "article" || mainRoles.has(role);
  const isShadowRoot = tag === "template" && attributes.shadowrootmode !== undefined;
  const isUnread = (unread.has(tag) && !isShadowRoot) || isReplaced(tag, attributes);
  const isNavigation = !isWhole && isNavigationElement(tag, attributes, isMain);
  const isStruckHere =
    struckTags.has(tag) ||
    (style !== "" && /\bline-through\b/i.test(style)) ||
    (struckNames.size > 0 && names.split(/\s+/).some((name) => struckNames.has(name)));
  return {
    tag,
    isMain,
    isSkipped: parent.isSkipped || isUnread || isNavigation,
    isNavigation: isNavigation && !parent.isSkipped,
    isBlock: isBlockTag(tag) || (style !== "" && blockStyle.test(style)),
    isStruck: attributes["data-struck"] !== "false" && (parent.isStruck || isStruckHere),
    isRaised: isRaised(tag, attributes),
    note: noteKind(tag, attributes),
    twinKind: twinKind(tag, attributes),
    twin: null,
    headingLevel: parent.headingLevel ?? headingLevel(tag, attributes),
    children: 0,
    start: 0,
    paragraph: 0,
    skippedBefore: 0,
  };
}

/** Whether a browser shows a file in place of the content of an `object`. It shows the content for other types. */
const isReplaced = (tag: string, { type = "", data }: Record<string, string>) =>
  tag === "object" && data !== undefined && (type === "" || /^(image|video|audio|text)\/|pdf/i.test(type));

/** Within the main content, an `aside` is a note and a `header` holds the title. */
function isNavigationElement(
  tag: string,
  { role = "", class: names = "", id = "" }: Record<string, string>,
  isMain: boolean,
): boolean {
  if (navigationTags.has(tag) || navigationRoles.has(role)) return true;
  if (isMain || tag === "body" || tag === "html") return false;
  return pageParts.has(tag) || `${names} ${id}`.split(/\s+/).some((name) => navigationName.test(name));
}

function headingLevel(tag: string, attributes: Record<string, string>): number | null {
  const level = headings.indexOf(tag);
  if (level >= 0) return level;
  const isQuestion = tag === "summary" || tag === "dt" || isAccordionButton(tag, attributes);
  return isQuestion ? headingLevels : null;
}

function isAccordionButton(tag: string, attributes: Record<string, string>): boolean {
  const isButton = tag === "button" || attributes.role === "button";
  return isButton && attributes["aria-expanded"] !== undefined && attributes["aria-controls"] !== undefined;
}
