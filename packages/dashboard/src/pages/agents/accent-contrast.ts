const INK = "#1c1917";
const WHITE = "#ffffff";

/** What the widget uses without a colour of the agent's own. */
export const LAMP = "#f59e0b";

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text);

/** The text that the widget writes on a colour (`#rrggbb`), and how well both are told apart: WCAG's contrast, 1 to 21. */
export function textOn(color: string): { text: string; name: "dark" | "white" | "black"; contrast: number } {
  const choices = [
    { text: INK, name: "dark" },
    { text: WHITE, name: "white" },
    { text: "#000000", name: "black" },
  ] as const;
  const measured = choices.map((choice) => ({ ...choice, contrast: contrast(color, choice.text) }));
  // Black is for the few in the middle on which neither ink nor white can be read.
  return measured.find((choice) => choice.contrast >= 4.5) ?? { ...choices[2], contrast: contrast(color, "#000000") };
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
