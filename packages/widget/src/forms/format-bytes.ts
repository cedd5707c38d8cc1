/** A file's size as people say it: 5 MiB is "5 MB", as in the limit. Never less than it is. */
export function sizeWords(bytes: number, locale: string): string {
  const [unit, amount, digits] =
    bytes < 1024 * 1024 ? (["kilobyte", bytes / 1024, 0] as const) : (["megabyte", bytes / 1024 / 1024, 1] as const);
  const format = new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: digits });
  const step = 10 ** digits;
  return format.format(Math.ceil(amount * step) / step);
}
