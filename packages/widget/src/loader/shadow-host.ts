import { chooseReadableColor } from "@foyer/contract/rules/accent-contrast";
import css from "./shadow-host.css?inline";

export type ShadowHost = ReturnType<typeof createShadowHost>;

export type Appearance = {
  /** `#rrggbb`. */
  accentColor: string;
  theme: "auto" | "light" | "dark";
  position: "left" | "right";
  /** Distance of the launcher from the side and the bottom of the window, in pixels. */
  offsetX: number;
  offsetY: number;
  zIndex: number | null;
};

/** More than a phone's address bar, whose height comes and goes at the bottom of the window, in pixels. */
const DISPLACED_PX = 80;
/** How long after the page's `load` event its code may still hydrate the document, in milliseconds. */
const HYDRATION_MS = 1_000;
const ALIVE = "foyer-alive";

/** Whether the page's markup is complete. A document that is opened again later need never be closed. */
let isParsed = false;

/**
 * The widget's element on the page: a shadow host outside the page's layout and out of reach of its styles. It uses
 * constructed style sheets only, because no Content Security Policy blocks them. `frame` contains everything visible.
 *
 * At first, the element is the last one of the body: React 18 refuses to hydrate a document with any other additional
 * element. Once the chat is open it is beside the body, where frameworks that replace the body leave it alone.
 *
 * `onErased` is called when `document.open` has removed all event listeners of the page, so nothing works any more.
 */
export function createShadowHost(appearance: Appearance, label: string, onErased: () => void) {
  const { accentColor, theme, position, offsetX, offsetY, zIndex } = appearance;
  const host = document.createElement("foyer-widget");
  const root = host.attachShadow({ mode: "open" });
  const variables = new CSSStyleSheet();
  variables.replaceSync(
    `.frame{--accent:${accentColor};--on-accent:${chooseReadableColor(accentColor)};--offset-x:${offsetX}px;--offset-y:${offsetY}px}:host{z-index:${zIndex ?? 2_147_483_000}!important}`,
  );
  // Values that change at run time are set on this rule: a Content Security Policy may refuse style attributes.
  const [frameRule] = [...variables.cssRules] as CSSStyleRule[];
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

  const life = new AbortController();
  const listening = { capture: true, signal: life.signal };
  const darkness = matchMedia("(prefers-color-scheme: dark)");
  const shade = () => {
    frame.dataset.theme = theme === "auto" ? (pageTheme() ?? (darkness.matches ? "dark" : "light")) : theme;
  };
  darkness.addEventListener("change", shade, listening);
  shade();

  let isBeside = false;
  isParsed ||= document.readyState !== "loading";
  let isAlive = false;
  host.addEventListener(ALIVE, () => {
    isAlive = true;
  });

  const move = (home: Element) => {
    const focused = root.activeElement as HTMLElement | null;
    if (host.isConnected && "moveBefore" in home) home.moveBefore(host, null);
    else home.append(host);
    focused?.focus();
  };
  /** A transformed root element is the containing block of fixed elements. The top layer is above all of them. */
  const keepInWindow = () => {
    const distance = host.getBoundingClientRect().bottom - innerHeight;
    const { showPopover } = host;
    if (host.hidden || Math.abs(distance) < DISPLACED_PX || !showPopover || host.matches(":popover-open")) return;
    host.popover = "manual";
    showPopover.call(host);
  };
  const attach = () => {
    const { documentElement, body } = document;
    const home = isBeside ? documentElement : body;
    const observe = (node: Node | null, more?: MutationObserverInit) =>
      node && watcher.observe(node, { childList: true, ...more });
    observe(document);
    // Pages switch their color scheme by changing an attribute of the root element.
    observe(documentElement, { attributeFilter: ["class", "style", "data-theme"] });
    observe(body);
    if (!isParsed || !home) return;
    isAlive = false;
    host.dispatchEvent(new Event(ALIVE));
    if (!isAlive) return onErased();
    if (host.parentNode !== home) move(home);
    keepInWindow();
  };
  const watcher = new MutationObserver(() => {
    attach();
    shade();
  });
  const onLoad = () => {
    isParsed = true;
    attach();
  };
  addEventListener("DOMContentLoaded", onLoad, listening);
  addEventListener("load", onLoad, listening);
  addEventListener("resize", keepInWindow, listening);
  // A dialog of the page that keeps the focus would take it from the launcher, and scroll to its own field.
  addEventListener("focusin", (event) => event.target === host && event.stopPropagation(), listening);
  attach();

  return {
    host,
    root,
    frame,
    addStyles,
    setHidden(isHidden: boolean) {
      host.hidden = isHidden;
    },
    /** Moves the element beside the body, once the page has loaded and is hydrated. */
    settle(): void {
      const moveBeside = () => {
        isBeside = true;
        attach();
      };
      if (document.readyState === "complete") moveBeside();
      else addEventListener("load", () => setTimeout(moveBeside, HYDRATION_MS), listening);
    },
    /** Sets a custom property that the style sheets use. */
    setVariable: (name: `--${string}`, value: string) => frameRule?.style.setProperty(name, value),
    remove() {
      life.abort();
      watcher.disconnect();
      host.remove();
    },
  };
}

/** The color scheme that the page declares, or null when it declares none or supports both. */
function pageTheme(): "light" | "dark" | null {
  const [scheme, other] = getComputedStyle(document.documentElement).colorScheme.match(/light|dark/g) ?? [];
  return scheme && !other ? (scheme as "light" | "dark") : null;
}
