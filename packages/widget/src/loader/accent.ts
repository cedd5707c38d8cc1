const INK = "#1c1917";
const PAPER = "#ffffff";
export const LAMP = "#f59e0b";

/** The text colour that can be read on this one, at 4.5:1 at least, whatever `#rrggbb` it is. */
export function readableOn(color: string): string {
  // Black is for the few in the middle on which neither ink nor white can be read.
  return [INK, PAPER].find((text) => contrast(color, text) >= 4.5) ?? "#000000";
}

/** WCAG's contrast of two colours, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
