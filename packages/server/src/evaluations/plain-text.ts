/**
 * The text as a reader compares it: models write other signs than people do for the same apostrophe, quote, hyphen or
 * space, and put signs into words that nobody sees.
 */
export function withPlainSigns(text: string): string {
  return text
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replace(/[‘’‚‛ʼʹ′`´]/g, "'")
    .replace(/[“”„‟«»″]/g, '"')
    .replace(/[‐‑‒–—―−]/g, "-")
    .replace(/\s+/g, " ")
    .trim();
}

/** Removes the marks of Markdown, and keeps the words of links. */
export function withoutMarkdown(text: string): string {
  return text
    .replace(/^[ \t]*(?:#{1,6}|[-*+>])[ \t]+/gm, "")
    .replace(/!?\[([^\]\n]{0,500})\]\([^)\s]{0,2000}\)/g, "$1")
    .replace(/\\([\\`*_{}[\]()#+\-.!|~<>])/g, "$1")
    .replace(/\*{1,3}|~~|`{1,3}|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, "");
}

/** Languages in which months are known by their names. */
const locales = ["en", "de", "fr", "es", "it", "nl", "pt"];

/** The number of a month by its name, long or short, in lower case and without a period. */
const months = new Map(
  locales.flatMap((locale) =>
    Array.from({ length: 12 }, (_, month) => month).flatMap((month) =>
      (["long", "short"] as const).map((style): [string, number] => {
        const format = new Intl.DateTimeFormat(locale, { day: "numeric", month: style, timeZone: "UTC" });
        const name = format.formatToParts(Date.UTC(2024, month, 1)).find(({ type }) => type === "month")?.value ?? "";
        return [name.toLowerCase().replace(/\.$/, ""), month + 1];
      }),
    ),
  ),
);
const monthNames = [...months.keys()].toSorted((a, b) => b.length - a.length).join("|");

const isoDate = /(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?!\d)/g;
const shortDate = /(?<![\d./])\d{1,2}([./])\d{1,2}\1(?:\d{4}|\d{2})(?![\d./]\d)/g;
const slashDate = /(?<![\d./])(\d{1,2})\/(\d{1,2})(?![\d/]|\.\d)/g;
/** A day and a month without a year, which needs a word before it: otherwise it may be a price. */
const germanDate = /(?<=\b(?:am|vom|bis|zum|den|ab|seit) )(\d{1,2})\.(\d{1,2})\./g;
const dayMonth = new RegExp(
  String.raw`(?<![\d.,/:])(\d{1,2})(?:\.|st|nd|rd|th|er|º|°)? (?:de |of )?(${monthNames})\.?(?![\p{L}\d])`,
  "gu",
);
const monthDay = new RegExp(
  String.raw`(?<!\p{L})(${monthNames})\.? (\d{1,2})(?:st|nd|rd|th)?(?![\p{L}\d:]|[.,/]\d)`,
  "gu",
);

const clock = /(?<![\d:.,/])(\d{1,2})(?:[:.](\d{2}))? ?(a\.?m\b\.?|p\.?m\b\.?)/g;
const clock24 =
  /(?<![\d:.,/])([01]?\d|2[0-4])(?:h(?=\d\d(?!\d))|[:.](?=\d\d ?(?:uhr|h)\b))([0-5]\d)(?: ?(?:uhr|h)\b)?/g;
const hours = /(?<![\d:.,/])([01]?\d|2[0-4]) ?(?:uhr|h)(?![\p{L}\d])/gu;
/** "9-18 Uhr" and "9 to 6 pm" name two times, of which only the second has the word. */
const hourRange = /(?<![\d:.,/])([01]?\d|2[0-4]) ?(-|bis|to|à|a) ?(?=(?:[01]?\d|2[0-4])(?:[:.]\d{2})? ?uhr\b)/g;
const plainClock = /(?<![\d:.,/])(\d):([0-5]\d)(?![\d:])/g;

const phone = /(?<![\p{L}\d.,])(?:\+|0)(?:[ ()/.-]{0,3}\d){7,}(?![\d.,]\d)/gu;
const PHONE_DIGITS = 7;
const number =
  /(?<![\d\p{L}]|\d[:/])\d+(?:[.,']\d+|(?<=(?<!\d)\d{1,3}) (?=\d{3}(?!\d))\d{3}(?: \d{3}(?!\d))*(?:[.,]\d+)?)*(?!\d|[:/]\d)/gu;

/**
 * Writes numbers, times, dates and telephone numbers in one form. `text` has plain signs and is in lower case: `1,250.00`
 * and `1 250` become `1250`, `6 pm` becomes `18:00`, and `24 December` becomes `24/12`.
 */
export function withPlainNumbers(text: string): string {
  return text
    .replace(isoDate, (found) => {
      const [year = "", month = "", day = ""] = found.split("-");
      return toDate(found, { day, month, year });
    })
    .replace(shortDate, (found) => {
      const [day = "", month = "", year = ""] = found.split(/[./]/);
      return toDate(found, { day, month, year });
    })
    .replace(germanDate, (found, day, month) => toDate(found, { day, month }))
    .replace(slashDate, (found, day, month) => toDate(found, { day, month }))
    .replace(dayMonth, (found, day, name) => toDate(found, { day, month: months.get(name) ?? 0 }))
    .replace(monthDay, (found, name, day) => toDate(found, { day, month: months.get(name) ?? 0 }))
    .replace(clock, (_, ...[hour, minute = "00", half]) =>
      toTime((Number(hour) % 12) + (half.startsWith("p") ? 12 : 0), minute),
    )
    .replace(clock24, (_, hour, minute) => toTime(Number(hour), minute))
    .replace(hourRange, (_, hour, to) => `${toTime(Number(hour), "00")} ${to} `)
    .replace(hours, (_, hour) => toTime(Number(hour), "00"))
    .replace(plainClock, (_, hour, minute) => toTime(Number(hour), minute))
    .replace(phone, (found) => `tel${found.replace(/\D/g, "").slice(-PHONE_DIGITS)}`)
    .replace(number, (found) => String(toNumber(found)));
}

const pad = (value: number) => String(value).padStart(2, "0");

const toTime = (hour: number, minute: string) => `${pad(hour % 24)}:${minute}`;

/** The day first, as in most countries, unless only the other order is a date. */
function toDate(
  found: string,
  { day, month, year }: { day: string | number; month: string | number; year?: string },
): string {
  const [first, second] = [Number(day), Number(month)];
  const [d, m] = second > 12 ? [second, first] : [first, second];
  if (d < 1 || d > 31 || m < 1 || m > 12) return found;
  return `${pad(d)}/${pad(m)}${year === undefined ? "" : ` ${year.length === 2 ? `20${year}` : year}`}`;
}

/** `1,250.00`, `1.250,00` and `1250` are the same number. */
function toNumber(text: string): number {
  const [, whole = "", , decimals = ""] = /^(.*?)(?:([.,])(\d{1,2}))?$/.exec(text) ?? [];
  return Number(`${whole.replace(/\D/g, "")}.${decimals}`);
}
