/**
 * Formats the size of a file in kilobytes or, with one decimal place, in megabytes. Rounds up, so that a file over a
 * limit never looks smaller than it.
 */
export function formatSize(bytes: number, locale: string): string {
  const isLarge = bytes >= 1024 * 1024;
  const size = isLarge ? Math.ceil((bytes / 1024 / 1024) * 10) / 10 : Math.ceil(bytes / 1024);
  const unit = isLarge ? "megabyte" : "kilobyte";
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(size);
}
