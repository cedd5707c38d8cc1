import { chooseReadableColor, LAMP } from "@foyer/contract/rules/accent-contrast";
import shadowHostCss from "../loader/shadow-host.css?inline";
import type { ShadowHost } from "../loader/shadow-host.ts";
import panelCss from "../panel/panel.css?inline";
import previewCss from "./preview.css?inline";

export type PreviewTheme = "light" | "dark";

/**
 * A shadow root with the widget's styles inside `place`, in the flow of the page around it. The widget's own host
 * floats over a page and belongs to the document instead.
 */
export function createPreviewHost(
  place: HTMLElement,
  { accentColor, theme }: { accentColor: string | null; theme: PreviewTheme },
): ShadowHost & { setTheme(theme: PreviewTheme): void } {
  const host = document.createElement("foyer-preview");
  const root = host.attachShadow({ mode: "open" });
  const accent = accentColor ?? LAMP;
  const variables = new CSSStyleSheet();
  variables.replaceSync(".frame{}");
  const [frameRule] = [...variables.cssRules] as CSSStyleRule[];
  frameRule?.style.setProperty("--accent", accent);
  frameRule?.style.setProperty("--on-accent", chooseReadableColor(accent));
  const addStyles = (text: string) => root.adoptedStyleSheets.push(createSheet(text));
  for (const css of [shadowHostCss, panelCss, previewCss]) addStyles(css);
  root.adoptedStyleSheets.push(variables);

  const frame = document.createElement("div");
  frame.className = "frame";
  frame.dataset.theme = theme;
  root.append(frame);
  place.append(host);
  return {
    host,
    root,
    frame,
    addStyles,
    setHidden(isHidden) {
      host.hidden = isHidden;
    },
    settle() {},
    setVariable: (name, value) => frameRule?.style.setProperty(name, value),
    setTheme(next) {
      frame.dataset.theme = next;
    },
    remove: () => host.remove(),
  };
}

const sheets = new Map<string, CSSStyleSheet>();

/** A transcript shows hundreds of previews, and all of them share their parsed style sheets. */
function createSheet(text: string): CSSStyleSheet {
  const known = sheets.get(text);
  if (known) return known;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  sheets.set(text, sheet);
  return sheet;
}
