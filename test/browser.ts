import AxeBuilder from "@axe-core/playwright";
import chromium from "@sparticuz/chromium";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as engine,
  type LaunchOptions,
  type Page,
} from "playwright-core";

export type TestBrowser = Awaited<ReturnType<typeof startBrowser>>;

/** The browser of this worker. Files that follow one another in a worker share it. */
let shared: Promise<Browser> | undefined;

/**
 * A real Chromium. Every page has a context of its own, and `close` closes those that were opened here. A browser with
 * launch options of its own is not shared, and ends with `close`.
 */
export async function startBrowser(options?: LaunchOptions) {
  const browser = options ? await launch(options) : await sharedBrowser();
  const contexts: BrowserContext[] = [];
  return {
    /** `problems` holds the exceptions that scripts threw and what the Content Security Policy refused. */
    async open(options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      contexts.push(context);
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
    async close(): Promise<void> {
      await Promise.all(contexts.map((context) => context.close()));
      if (options) await browser.close();
    },
  };
}

/** Starts the browser anew when the last one crashed. It ends with the worker's process. */
async function sharedBrowser(): Promise<Browser> {
  const current = await shared?.catch(() => undefined);
  if (!current?.isConnected()) shared = launch();
  return shared as Promise<Browser>;
}

async function launch(options: LaunchOptions = {}): Promise<Browser> {
  return engine.launch({
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
