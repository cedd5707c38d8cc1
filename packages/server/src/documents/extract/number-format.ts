/** The formats that have a number instead of a code in the file, see ECMA-376 part 1, 18.8.30. */
const builtIn: Record<number, string> = {
  1: "0",
  2: "0.00",
  3: "#,##0",
  4: "#,##0.00",
  // The currency of 5 to 8, 42 and 44 is that of the reader's country, so that the file does not name it.
  5: "#,##0_);(#,##0)",
  6: "#,##0_);(#,##0)",
  7: "#,##0.00_);(#,##0.00)",
  8: "#,##0.00_);(#,##0.00)",
  9: "0%",
  10: "0.00%",
  11: "0.00E+00",
  12: "# ?/?",
  13: "# ??/??",
  18: "h:mm AM/PM",
  19: "h:mm:ss AM/PM",
  20: "h:mm",
  21: "h:mm:ss",
  22: "yyyy-mm-dd h:mm",
  32: "h:mm",
  33: "h:mm:ss",
  37: "#,##0_);(#,##0)",
  38: "#,##0_);(#,##0)",
  39: "#,##0.00_);(#,##0.00)",
  40: "#,##0.00_);(#,##0.00)",
  41: '#,##0_);(#,##0);"-"_)',
  42: '#,##0_);(#,##0);"-"_)',
  43: '#,##0.00_);(#,##0.00);"-"_)',
  44: '#,##0.00_);(#,##0.00);"-"_)',
  45: "mm:ss",
  46: "[h]:mm:ss",
  47: "mm:ss",
  48: "0.0E+0",
};
const dateFormats = new Set([14, 15, 16, 17, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 55, 56, 57, 58]);

/** The code of a built-in format, which is "General" for those that change nothing. */
export const builtInFormat = (id: number): string => (dateFormats.has(id) ? "yyyy-mm-dd" : (builtIn[id] ?? "General"));

const SECONDS = 86_400;
/** Days from 1899-12-30, where Excel begins to count, to 1970-01-01, and to 1904-01-01, where old Mac files begin. */
const TO_UNIX = 25_569;
const TO_1904 = 1_462;

/**
 * Formats a number as the cell shows it. Dates are written as in ISO 8601, whatever their order in the format. The result
 * is empty when the format hides the number.
 */
export function formatNumber(value: number, code: string, is1904 = false): string {
  const { section, isNegativeShown } = chooseSection(code.slice(0, 500), value);
  const bare = section.replace(/"[^"]*"|\\.|_.|\*./g, "");
  const pattern = bare.replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "");
  // Colors alone, as in "[Red]", leave the number as it is.
  const isPlain = pattern.trim() === "" && /^(\[[^\]]*\]|\s)+$/.test(section);
  if (/general|@/i.test(pattern) || isPlain || code.trim() === "") return formatGeneral(value);
  if (/[ymdhs]/i.test(pattern)) return formatTime(value, pattern, is1904);
  const sign = value < 0 && isNegativeShown ? "-" : "";
  const isFraction = /[0#?]\s*\/\s*[0-9#?]/.test(pattern);
  const digits = isFraction ? formatFraction(Math.abs(value), pattern) : formatDigits(Math.abs(value), section);
  return `${sign}${digits}`.replace(/\s+/g, " ").trim();
}

/** Cells without a format show at most ten digits of a fraction: 0.3 for the stored 0.30000000000000004. */
const formatGeneral = (value: number) => String(Number.isInteger(value) ? value : Number(value.toPrecision(10)));

/** A fraction with the number of digits or the denominator of the format: "2 1/2" for `# ?/?`. */
function formatFraction(value: number, pattern: string): string {
  const [, before = "", below = ""] = /([0#?\s]*)[0#?]\s*\/\s*([0-9#?]+)/.exec(pattern) ?? [];
  const hasWhole = /[0#?]\s/.test(before);
  const whole = hasWhole ? Math.floor(value) : 0;
  const fixed = Number(below);
  const denominators =
    fixed > 0 ? [fixed] : Array.from({ length: 10 ** Math.min(below.length, 3) - 1 }, (_, index) => index + 1);
  const errorOf = (denominator: number) =>
    Math.abs(Math.round((value - whole) * denominator) / denominator - (value - whole));
  const best = denominators.reduce((found, next) => (errorOf(next) < errorOf(found) - 1e-12 ? next : found));
  const numerator = Math.round((value - whole) * best);
  if (hasWhole && (numerator === 0 || numerator === best)) return String(whole + numerator / best);
  return `${hasWhole && whole > 0 ? `${whole} ` : ""}${numerator}/${best}`;
}

/** A format has up to four sections: positive numbers, negative numbers, zero and text. Sections can have conditions. */
function chooseSection(code: string, value: number): { section: string; isNegativeShown: boolean } {
  const sections = splitSections(code);
  const [positive = "General", negative, zero] = sections;
  for (const section of sections) {
    const [, operator, limit] = /\[(<=|>=|<>|<|>|=)(-?[\d.]+)\]/.exec(section) ?? [];
    if (operator && matches(value, operator, Number(limit)))
      return { section, isNegativeShown: !(operator.startsWith("<") && Number(limit) <= 0) };
  }
  if (/\[[<>=]/.test(positive)) return { section: sections.at(-1) ?? positive, isNegativeShown: true };
  if (value < 0 && negative !== undefined) return { section: negative, isNegativeShown: false };
  if (value === 0 && zero !== undefined) return { section: zero, isNegativeShown: false };
  return { section: positive, isNegativeShown: true };
}

/** A semicolon within quotation marks or brackets, or after a backslash, separates nothing. */
function splitSections(code: string): string[] {
  const sections = [""];
  for (const [token] of code.matchAll(/"[^"]*"|\\.|\[[^\]]*\]|[\s\S]/g)) {
    if (token === ";") sections.push("");
    else sections.push((sections.pop() ?? "") + token);
  }
  return sections;
}

function matches(value: number, operator: string, limit: number): boolean {
  if (operator === "=") return value === limit;
  if (operator === "<>") return value !== limit;
  if (operator.startsWith("<")) return value < limit || (operator === "<=" && value === limit);
  return value > limit || (operator === ">=" && value === limit);
}

/** Fills the digits of a number into the placeholders of a section, and keeps the text between them. */
function formatDigits(value: number, section: string): string {
  const tokens: string[] = section.match(/"[^"]*"|\\.|_.|\*.|\[[^\]]*\]|E[+-]0+|./gi) ?? [];
  const isDigit = (token: string) => token === "0" || token === "#" || token === "?";
  const last = tokens.findLastIndex(isDigit);
  const first = tokens.findIndex(isDigit);
  if (first < 0) return tokens.map(literal).join("");
  const point = tokens.indexOf(".");
  const isWhole = (index: number) => point < 0 || index < point;
  const isExponential = tokens.some((token) => /^E[+-]0+$/i.test(token));
  const scale = tokens.filter((token) => token === "%").length;
  const thousands = /^,*/.exec(tokens.slice(last + 1).join(""))?.[0].length ?? 0;
  const scaled = Number(((value * 100 ** scale) / 1_000 ** thousands).toPrecision(15));
  const decimals = tokens.filter((token, index) => isDigit(token) && !isWhole(index));
  const [mantissa = "", exponent = "0"] = isExponential
    ? scaled.toExponential(Math.min(decimals.length, 20)).split("e")
    : [roundTo(scaled, decimals.length)];
  const [whole = "0", fraction = ""] = mantissa.split(".");
  const required = decimals.lastIndexOf("0") + 1;
  const shown = fraction.slice(0, required) + fraction.slice(required).replace(/0+$/, "");
  const slots = tokens.flatMap((token, index) => (isDigit(token) && isWhole(index) ? [index] : []));
  const zeros =
    slots.length -
    Math.max(
      0,
      slots.findIndex((index) => tokens[index] === "0"),
    );
  const minimum = slots.some((index) => tokens[index] === "0") ? zeros : 0;
  const digits = (whole === "0" ? "" : whole).padStart(minimum, "0");
  const isGrouped = tokens.slice(first, last).includes(",");
  let isFractionWritten = false;
  return tokens
    .map((token, index) => {
      const slot = slots.indexOf(index);
      if (slot >= 0) return digitsOf(digits, { slot, slots: slots.length, isGrouped });
      if (isDigit(token)) {
        const text = isFractionWritten ? "" : shown;
        isFractionWritten = true;
        return text;
      }
      if (token === ".") return shown === "" ? "" : ".";
      if (token === ",") return "";
      if (/^E[+-]0+$/i.test(token)) return formatExponent(Number(exponent), token);
      return literal(token);
    })
    .join("");
}

/** The exponent with the sign and the number of digits of its placeholder, such as `E+00`. */
function formatExponent(exponent: number, token: string): string {
  const sign = exponent < 0 ? "-" : token.charAt(1) === "+" ? "+" : "";
  return `E${sign}${String(Math.abs(exponent)).padStart(token.length - 2, "0")}`;
}

/** Rounds half away from zero, although 1.005 is stored as a little less. */
function roundTo(value: number, decimals: number): string {
  const places = Math.min(decimals, 20);
  const shifted = Number(`${value}e${places}`);
  return Number.isSafeInteger(Math.round(shifted))
    ? (Math.round(shifted) / 10 ** places).toFixed(places)
    : value.toFixed(places);
}

/** The digits at a placeholder. The first placeholder takes the digits that exceed the number of placeholders. */
function digitsOf(
  digits: string,
  { slot, slots, isGrouped }: { slot: number; slots: number; isGrouped: boolean },
): string {
  const end = digits.length - (slots - 1 - slot);
  const start = slot === 0 ? 0 : end - 1;
  let text = "";
  for (let index = Math.max(0, start); index < end; index++) {
    const rest = digits.length - index;
    text += (isGrouped && index > 0 && rest % 3 === 0 ? "," : "") + digits[index];
  }
  return text;
}

function literal(token: string): string {
  if (token.startsWith('"') && token.length > 1) return token.slice(1, -1);
  if (token.startsWith("\\")) return token.slice(1);
  if (/^[_*]./.test(token)) return " ";
  if (token.startsWith("[")) return /^\[\$([^\]-]*)/.exec(token)?.[1] ?? "";
  return token;
}

function formatTime(value: number, pattern: string, is1904: boolean): string {
  const seconds = Math.round(value * SECONDS);
  const time = formatClock(seconds, pattern);
  const hasDate = /[yd]|mmm/i.test(pattern) || time === "";
  if (!hasDate) return time;
  // Excel shows no negative dates, and the day before the first one as the day 0 of January.
  if (value < 0 && !is1904) return formatGeneral(value);
  if (value < 1 && !is1904) return ["1900-01-00", time].filter(Boolean).join(" ");
  // Excel has a day 1900-02-29, which did not exist.
  const days = is1904 ? value + TO_1904 : value < 60 ? value + 1 : value;
  const date = new Date(Math.round((days - TO_UNIX) * SECONDS) * 1_000);
  if (Number.isNaN(date.getTime())) return String(value);
  return [date.toISOString().slice(0, 10), time].filter(Boolean).join(" ");
}

/** The time of day, or the whole duration when the first unit is in brackets, as in `[h]:mm`. */
function formatClock(seconds: number, pattern: string): string {
  const total = Math.abs(seconds);
  const sign = seconds < 0 ? "-" : "";
  const pad = (number: number) => String(number).padStart(2, "0");
  const minutes = Math.floor(total / 60);
  const hasSeconds = /s/i.test(pattern);
  const secondsPart = hasSeconds ? `:${pad(total % 60)}` : "";
  if (/\[s+\]/i.test(pattern)) return `${sign}${total}`;
  if (/\[m+\]/i.test(pattern)) return `${sign}${minutes}${secondsPart}`;
  if (/\[h+\]/i.test(pattern)) return `${sign}${Math.floor(minutes / 60)}:${pad(minutes % 60)}${secondsPart}`;
  const hour = Math.floor(minutes / 60) % 24;
  const [hours] = /h+/i.exec(pattern) ?? [];
  if (!hours) return hasSeconds ? `${pad(minutes % 60)}${secondsPart}` : "";
  const isHalfDay = /am\/pm|a\/p/i.test(pattern);
  const shown = isHalfDay ? hour % 12 || 12 : hour;
  const suffix = isHalfDay ? (hour < 12 ? " AM" : " PM") : "";
  return `${hours.length > 1 ? pad(shown) : shown}:${pad(minutes % 60)}${secondsPart}${suffix}`;
}
