/** Formats the size of a file with one decimal place, rounded up, so that a file over a limit never looks smaller. */
export function formatSize(bytes: number, locale: string): string {
  const isLarge = bytes >= 1024 * 1024;
  const size = Math.ceil((bytes / (isLarge ? 1024 * 1024 : 1024)) * 10) / 10;
  const unit = isLarge ? "megabyte" : "kilobyte";
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: isLarge ? 1 : 0 }).format(size);
}
