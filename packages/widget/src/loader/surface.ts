import { LAMP, readableOn } from "./accent.ts";
import css from "./surface.css?inline";

export type Surface = ReturnType<typeof createSurface>;

export type Look = {
  accentColor: string | null;
  theme: "auto" | "light" | "dark";
  position: "left" | "right";
  zIndex: number | null;
};

/**
 * The widget's place on the page: one element beside the body, out of the page's layout and of its styles' reach, with
 * constructed style sheets only, which no Content Security Policy refuses. `frame` holds all that is seen.
 */
export function createSurface({ accentColor, theme, position, zIndex }: Look, label: string) {
  const host = document.createElement("foyer-widget");
  const root = host.attachShadow({ mode: "open" });
  const accent = accentColor ?? LAMP;
  const variables = new CSSStyleSheet();
  // What changes while the widget runs is set on these rules, for lack of style attributes.
  variables.replaceSync(":host{} .frame{}");
  const [hostRule, frameRule] = [...variables.cssRules] as CSSStyleRule[];
  hostRule?.style.setProperty("z-index", String(zIndex ?? 2_147_483_000), "important");
  frameRule?.style.setProperty("--accent", accent);
  frameRule?.style.setProperty("--on-accent", readableOn(accent));
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
    frame.dataset.theme = theme === "auto" ? (darkness.matches ? "dark" : "light") : theme;
  };
  darkness.addEventListener("change", shade);
  shade();

  // Frameworks that swap the body leave us alone here; what replaces the whole document does not.
  const attach = () => {
    if (!host.isConnected) document.documentElement.append(host);
  };
  const watcher = new MutationObserver(attach);
  watcher.observe(document.documentElement, { childList: true });
  attach();

  return {
    ...{ host, root, frame, addStyles },
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
