/** Tells the site's developer what a call of the page's code left out, and why. */
export function warnOfPage(call: string, problems: string): void {
  // biome-ignore lint/suspicious/noConsole: the site's developer looks here for missing data
  console.warn(`Foyer: ${call} left out ${problems}.`);
}
