const browsers = [
  ["Edge", /\bEdgA?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\bFirefox\/|\bFxiOS\//],
  ["Chrome", /Chrome\/|\bCriOS\//],
  ["Safari", /\bSafari\//],
] as const;
const systems = [
  ["Android", /Android/],
  ["iPhone", /iPhone/],
  ["iPad", /iPad/],
  ["Windows", /Windows/],
  ["macOS", /Macintosh|Mac OS X/],
  ["ChromeOS", /CrOS/],
  ["Linux", /Linux/],
] as const;

/**
 * A label by which a member recognizes a browser, such as `Firefox on Linux`. The order above matters, because most
 * user agents include other names.
 */
export function describeDevice(userAgent: string): string {
  const findName = (names: ReadonlyArray<readonly [string, RegExp]>) =>
    names.find(([, pattern]) => pattern.test(userAgent))?.[0];
  return [findName(browsers) ?? "Browser", findName(systems)].filter(Boolean).join(" on ");
}
