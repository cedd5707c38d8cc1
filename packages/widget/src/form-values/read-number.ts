/** The digits of Arabic, Persian and Hindi keyboards, by the first of each script. */
const zeros = [0x660, 0x6f0, 0x966];
const toDigit = (sign: string) => {
  const code = sign.charCodeAt(0);
  return `${code - (zeros.find((zero) => code >= zero && code < zero + 10) ?? code)}`;
};

/**
 * Reads a number as people write it: with a comma or a point, with separators of thousands, and in the digits of their
 * keyboard.
 * @returns both numbers if a separator can be either (`2.500`), and null for a text that is not a number
 */
export function readNumber(text: string): number | null | readonly [number, number] {
  const plain = text
    .normalize("NFKC")
    .replace(/[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g, toDigit)
    .replace(/[\u2212\u2012\u2013]/g, "-")
    .replace(/\u066b/g, ",")
    .trim()
    .replace(/(?<=\d)[\s\u066c'’](?=\d{3}(?!\d))/g, "");
  if (/^[+-]?(?:\d+|\d*[.,]\d+|\d+[.,])(?:e[+-]?\d+)?$/i.test(plain)) {
    const number = Number(plain.replace(",", "."));
    const [, whole = "", rest = ""] = /^[+-]?([1-9]\d{0,2})[.,](\d{3})$/.exec(plain) ?? [];
    if (!Number.isFinite(number)) return null;
    return rest === "" ? number : [Math.sign(number) * Number(whole + rest), number];
  }
  const grouped = /^([+-]?\d{1,3}(?:([.,])\d{3})(?:\2\d{3})*)(?:([.,])(\d*))?$/.exec(plain);
  if (!grouped || grouped[2] === grouped[3]) return null;
  return Number(`${grouped[1]?.replace(/[.,]/g, "")}.${grouped[4] ?? ""}`);
}

/** Writes a number so that it is read as the same number again. */
export function writeNumber(number: number, locale = "en"): string {
  const text = `${number}`;
  const isAmbiguous = Array.isArray(readNumber(text));
  const point = new Intl.NumberFormat(locale, { numberingSystem: "latn" }).format(1.5).slice(1, 2);
  return (isAmbiguous ? `${text}0` : text).replace(".", point);
}
