import { chooseReadableColor, LAMP } from "@foyer/contract/rules/accent-contrast";
import css from "./shadow-host.css?inline";

export type ShadowHost = ReturnType<typeof createShadowHost>;

export type Appearance = {
  accentColor: string | null;
  theme: "auto" | "light" | "dark";
  position: "left" | "right";
  /** Distance of the launcher from the side and the bottom of the window, in pixels. */
  offsetX: number;
  offsetY: number;
  zIndex: number | null;
};

/**
 * The widget's element on the page: a shadow host beside the body, outside the page's layout and out of reach of its
 * styles. It uses constructed style sheets only, because no Content Security Policy blocks them. `frame` contains
 * everything visible.
 */
export function createShadowHost(look: Appearance, label: string) {
  const { accentColor, theme, position, offsetX, offsetY, zIndex } = look;
  const host = document.createElement("foyer-widget");
  const root = host.attachShadow({ mode: "open" });
  const accent = accentColor ?? LAMP;
  const variables = new CSSStyleSheet();
  // Values that change at run time are set on these rules: a Content Security Policy may refuse style attributes.
  variables.replaceSync(":host{} .frame{}");
  const [hostRule, frameRule] = [...variables.cssRules] as CSSStyleRule[];
  hostRule?.style.setProperty("z-index", String(zIndex ?? 2_147_483_000), "important");
  frameRule?.style.setProperty("--accent", accent);
  frameRule?.style.setProperty("--on-accent", chooseReadableColor(accent));
  frameRule?.style.setProperty("--offset-x", `${offsetX}px`);
  frameRule?.style.setProperty("--offset-y", `${offsetY}px`);
  const addStyles = (text: string) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    root.adoptedStyleSheets.push(sheet);
  };
  addStyles(css);
  root.adoptedStyleSheets.push(variables);

  const frame = document.createElement("div");
  frame.className = "frame";
  frame.dataset.side = position;
  frame.setAttribute("role", "region");
  frame.setAttribute("aria-label", label);
  root.append(frame);

  const darkness = matchMedia("(prefers-color-scheme: dark)");
  const shade = () => {
    frame.dataset.theme = theme === "auto" ? (pageTheme() ?? (darkness.matches ? "dark" : "light")) : theme;
  };
  darkness.addEventListener("change", shade);
  shade();

  // Frameworks that replace the body leave this element alone; code that replaces the whole document does not.
  const attach = () => {
    if (!host.isConnected) document.documentElement.append(host);
  };
  const watcher = new MutationObserver(() => {
    attach();
    shade();
  });
  // Pages switch their color scheme by changing an attribute of the root element.
  watcher.observe(document.documentElement, { childList: true, attributeFilter: ["class", "style", "data-theme"] });
  attach();

  return {
    host,
    root,
    frame,
    addStyles,
    setHidden(isHidden: boolean) {
      host.hidden = isHidden;
    },
    /** Sets a custom property that the style sheets use. */
    setVariable: (name: `--${string}`, value: string) => frameRule?.style.setProperty(name, value),
    remove() {
      watcher.disconnect();
      darkness.removeEventListener("change", shade);
      host.remove();
    },
  };
}

/** The color scheme that the page declares, or null when it declares none or supports both. */
function pageTheme(): "light" | "dark" | null {
  const [scheme, other] = getComputedStyle(document.documentElement).colorScheme.match(/light|dark/g) ?? [];
  return scheme && !other ? (scheme as "light" | "dark") : null;
}
