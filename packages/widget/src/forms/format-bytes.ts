/**
 * Formats a file size with binary units and their usual names: 5 MiB is "5 MB". Rounds up, so a file over the limit
 * never looks smaller than it.
 */
export function formatBytes(bytes: number, locale: string): string {
  const [unit, amount, digits] =
    bytes < 1024 * 1024 ? (["kilobyte", bytes / 1024, 0] as const) : (["megabyte", bytes / 1024 / 1024, 1] as const);
  const format = new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: digits });
  const step = 10 ** digits;
  return format.format(Math.ceil(amount * step) / step);
}
