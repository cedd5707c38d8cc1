import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const css = readFileSync(new URL("styles.css", import.meta.url), "utf8");
const schemes = ["light", "dark"] as const;
type Scheme = (typeof schemes)[number];

/** A color of the style sheet in one scheme, such as `ink` or `lamp`. */
function readColor(name: string, scheme: Scheme): string {
  const both = css.match(new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\);`));
  const color = both?.[scheme === "light" ? 1 : 2] ?? css.match(new RegExp(`--color-${name}: (#\\w{6});`))?.[1];
  if (!color) throw new Error(`styles.css defines no color ${name}`);
  return color;
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function measureContrast(first: string, second: string): number {
  const [a = 0, b = 0] = [first, second].map(measureLuminance).sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}

function measureLuminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const texts = ["ink", "soft", "wrong", "warning", "fine"];
const surfaces = ["paper", "raised", "sunken", "hover", "selected", "thumb"];

describe.each(schemes)("the dashboard's colors in the %s scheme", (scheme) => {
  const contrast = (first: string, second: string) =>
    measureContrast(readColor(first, scheme), readColor(second, scheme));

  it.each(texts.flatMap((text) => surfaces.map((surface) => [text, surface] as const)))(
    "have a contrast of at least 4.5 between the text %s and the surface %s",
    (text, surface) => {
      expect(contrast(text, surface)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it.each(["lamp", "lamp-hover"])("have a contrast of at least 4.5 between %s and the text on it", (surface) => {
    expect(contrast("on-lamp", surface)).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ["selected", "paper"],
    ["thumb", "sunken"],
  ] as const)("tell the surface %s apart from %s", (surface, around) => {
    expect(contrast(surface, around)).toBeGreaterThanOrEqual(1.12);
  });

  it.each(["paper", "raised", "sunken"])(
    "have a contrast of at least 3 between the border of a field and %s",
    (around) => {
      expect(contrast("edge", around)).toBeGreaterThanOrEqual(3);
    },
  );
});
