import { format, isDateFormat, isValidFormat } from "numfmt";

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
  // A format can name a language, whose separators readers of other languages would misread.
  const known = code
    .slice(0, 500)
    .replace(/\[\$-[^\]]*\]/g, "")
    .replace(/\[\$([^\]-]+)-[^\]]*\]/g, "[$$$1]");
  // Colors alone, as in "[Red]", leave the number as it is.
  if (/^(\[[^\]]*\]|\s|general|@)*$/i.test(known) || !isValidFormat(known)) return formatGeneral(value);
  if (isDateFormat(known)) return formatTime(value, bareUnits(known), is1904);
  return format(known, Number(value.toPrecision(15)), { nbsp: false })
    .replace(/\s+/g, " ")
    .trim();
}

/** A format without its texts, colors and conditions. */
const bareUnits = (code: string) =>
  code.replace(/"[^"]*"|\\.|_.|\*./g, "").replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, "");

/** Cells without a format show at most ten digits of a fraction: 0.3 for the stored 0.30000000000000004. */
const formatGeneral = (value: number) => String(Number.isInteger(value) ? value : Number(value.toPrecision(10)));

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
