/** Metadata of a page. URLs are as written in the page. */
export type PageMetadata = {
  title: string | null;
  canonical: string | null;
  base: string | null;
  /** of anchors and image maps, without those marked `nofollow`, of frames, and of redirects in the page */
  links: string[];
  isNoindex: boolean;
  isNofollow: boolean;
  hasScripts: boolean;
  /** whether the element that frameworks render into is empty */
  hasEmptyRoot: boolean;
  hasPassword: boolean;
};

const MAX_LINKS = 10_000;
const MAX_ADDRESS = 2_000;
/** The usual names of the element that JavaScript frameworks render into. */
const rootId = /^_{0,2}(root|app|next|nuxt|gatsby|main-app|app-root|react-root|svelte|ember-app)$/i;

export function createPageMetadata() {
  const links = new Set<string>();
  const robots: string[] = [];
  let title = "";
  let socialTitle = "";
  let canonical: string | null = null;
  let base: string | null = null;
  /** position relative to the first `title`; later ones belong to embedded graphics */
  let titleState: "before" | "in" | "after" = "before";
  let hasScripts = false;
  let hasPassword = false;
  let hasEmptyRoot = false;
  /** whether the element that was opened last is such an element */
  let isInRoot = false;

  function readMeta({ name, property, content = "", "http-equiv": equivalent }: Record<string, string>): void {
    if (/^(robots|googlebot|foyerbot)$/i.test(name ?? "")) robots.push(content.toLowerCase());
    if (property === "og:title") socialTitle ||= content;
    if (/^refresh$/i.test(equivalent ?? "")) {
      const target = /^\s*\d+(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?([^"']{1,2000})/i.exec(content)?.[1];
      if (target) links.add(target.trim());
    }
  }

  return {
    open(tag: string, attributes: Record<string, string>): void {
      if (tag === "title" && titleState === "before") titleState = "in";
      if (tag === "meta") readMeta(attributes);
      if (tag === "script") hasScripts = true;
      if (tag === "input" && attributes.type === "password") hasPassword = true;
      isInRoot = tag === "app-root" || rootId.test(attributes.id ?? "");
      const { href, rel = "", src } = attributes;
      if (tag === "frame" && src !== undefined && src.length <= MAX_ADDRESS && links.size < MAX_LINKS) links.add(src);
      if (href === undefined || href.length > MAX_ADDRESS) return;
      if (tag === "base") base ??= href;
      if (tag === "link" && /\bcanonical\b/i.test(rel)) canonical ??= href;
      if ((tag === "a" || tag === "area") && links.size < MAX_LINKS && !/\bnofollow\b/i.test(rel)) links.add(href);
    },
    text(value: string): void {
      if (value.trim() !== "") isInRoot = false;
      if (titleState === "in" && title.length < 1_000) title += value;
    },
    close(tag: string): void {
      hasEmptyRoot ||= isInRoot;
      isInRoot = false;
      if (tag === "title" && titleState === "in") titleState = "after";
    },
    result(): PageMetadata {
      const rules = robots.join(",");
      return {
        title: (title.trim() || socialTitle).replace(/\s+/g, " ").trim().slice(0, 500).toWellFormed() || null,
        canonical,
        base,
        links: [...links],
        isNoindex: /\b(noindex|none)\b/.test(rules),
        isNofollow: /\b(nofollow|none)\b/.test(rules),
        hasScripts,
        hasEmptyRoot,
        hasPassword,
      };
    },
  };
}
