import AxeBuilder from "@axe-core/playwright";
import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContextOptions,
  chromium as engine,
  type LaunchOptions,
  type Page,
} from "playwright-core";

export type TestBrowser = Awaited<ReturnType<typeof startBrowser>>;

/** A real Chromium, one for a test file. Every page has a context of its own; what went wrong in it is kept. */
export async function startBrowser(options: LaunchOptions = {}) {
  const browser: Browser = await engine.launch({
    ...options,
    executablePath: await chromium.executablePath(),
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
  return {
    /** `problems` holds what scripts threw and what the Content Security Policy refused. */
    async open(options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !/Failed to load resource/.test(message.text()))
          problems.push(message.text());
      });
      return { page, problems };
    },
    close: () => browser.close(),
  };
}

/**
 * What axe finds wrong with the page as it is, in light and in dark; each as `rule: elements`. Schemes differ in nothing
 * but colors, so the dark one is checked for contrast alone.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // Legacy mode leaves out cross-origin frames, which no page has, and with them a blank page for every check.
    const axe = new AxeBuilder({ page }).setLegacyMode(true);
    if (colorScheme === "dark") axe.withRules(["color-contrast", "link-in-text-block"]);
    const { violations } = await axe.analyze();
    for (const { id, nodes } of violations) {
      found.push(`${colorScheme} ${id}: ${nodes.map((node) => node.html).join(", ")}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  return found;
}

/** How far the page is wider than its window, in pixels; 0 is what we want. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
