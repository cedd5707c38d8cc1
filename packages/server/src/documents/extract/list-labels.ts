/** How the numbers of a list are written: as in HTML, `1`, `a`, `A`, `i` or `I`. */
export type NumberStyle = "1" | "a" | "A" | "i" | "I";

const romans: ReadonlyArray<readonly [value: number, numeral: string]> = [
  [1000, "m"],
  [900, "cm"],
  [500, "d"],
  [400, "cd"],
  [100, "c"],
  [90, "xc"],
  [50, "l"],
  [40, "xl"],
  [10, "x"],
  [9, "ix"],
  [5, "v"],
  [4, "iv"],
  [1, "i"],
];

/** Writes the number of a list item. */
export function formatOrdinal(value: number, style: NumberStyle): string {
  if (value < 1 || value > 3_999 || style === "1") return String(value);
  const text = style.toLowerCase() === "a" ? toLetters(value) : toRoman(value);
  return style === style.toUpperCase() ? text.toUpperCase() : text;
}

/** a to z, then aa, ab, … */
function toLetters(value: number): string {
  const rest = Math.floor((value - 1) / 26);
  return (rest > 0 ? toLetters(rest) : "") + String.fromCharCode(97 + ((value - 1) % 26));
}

function toRoman(value: number): string {
  let rest = value;
  return romans
    .map(([number, numeral]) => {
      const times = Math.floor(rest / number);
      rest -= times * number;
      return numeral.repeat(times);
    })
    .join("");
}
