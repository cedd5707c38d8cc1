const INK = "#1c1917";
const PAPER = "#ffffff";

/** The luminances of colors on which ink and paper have a contrast of 4.5:1. */
const MIN_FOR_INK = 0.2202;
const MAX_FOR_PAPER = 0.1833;

/** The accent color of agents without their own. */
export const LAMP = "#f59e0b";

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** The text color that the widget uses on a background color (`#rrggbb`). The contrast is always at least 4.5:1. */
export function chooseReadableColor(color: string): string {
  const luminance = relativeLuminance(color);
  if (luminance >= MIN_FOR_INK) return INK;
  // Pure black is used for the few colors on which neither ink nor white is readable.
  return luminance <= MAX_FOR_PAPER ? PAPER : "#000000";
}

/** The WCAG contrast ratio of two colors, from 1 to 21. */
export function contrastRatio(one: string, other: string): number {
  const [a, b] = [relativeLuminance(one), relativeLuminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function relativeLuminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
