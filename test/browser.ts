import chromium from "@sparticuz/chromium";
import axe, { type RunOptions } from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium as engine,
  type Frame,
  type LaunchOptions,
  type Page,
} from "playwright-core";

export type TestBrowser = Awaited<ReturnType<typeof startBrowser>>;

/** The browser of this worker, shared by the files that run in it. */
let shared: Promise<Browser> | undefined;

/**
 * A real Chromium. Every page has its own context, and `close` closes the contexts opened here. A browser with its own
 * launch options is not shared and ends with `close`.
 */
export async function startBrowser(options?: LaunchOptions) {
  const browser = options ? await launch(options) : await sharedBrowser();
  const contexts: BrowserContext[] = [];
  return {
    /** `problems` lists uncaught exceptions and violations of the Content Security Policy. */
    async open(options: BrowserContextOptions = {}): Promise<{ page: Page; problems: string[] }> {
      const context = await browser.newContext({ reducedMotion: "reduce", ...options });
      contexts.push(context);
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
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

/** Starts the browser again after a crash. It ends with the worker's process. */
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
 * Returns the violations that axe finds on the page in the light and the dark color scheme, as `scheme rule: elements`.
 * The schemes differ only in colors, so the dark one is checked only for contrast.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await Promise.all(page.frames().map(injectAxe));
  await page.emulateMedia({ colorScheme: "light" });
  const light = await violations(page, {});
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await violations(page, { runOnly: ["color-contrast", "link-in-text-block"] });
  await page.emulateMedia({ colorScheme: "light" });
  return [...light.map((problem) => `light ${problem}`), ...dark.map((problem) => `dark ${problem}`)];
}

/** Loads axe once per document. Its script has 570 kB, and running it takes longer than checking a page. */
async function injectAxe(frame: Frame): Promise<void> {
  if (!(await frame.evaluate(() => "axe" in window))) await frame.evaluate(axe.source);
}

/**
 * Runs axe in the page until it finds nothing, or for five seconds, because pages take time to follow a change of the
 * color scheme. Only violations are described, because describing passed rules takes half of the time.
 */
async function violations(page: Page, options: RunOptions): Promise<string[]> {
  const violationsOnly: RunOptions = { ...options, resultTypes: ["violations"], preload: false };
  const giveUpAt = performance.now() + 5_000;
  let found: string[];
  do {
    found = await page.evaluate(runAxe, violationsOnly);
  } while (found.length > 0 && performance.now() < giveUpAt);
  return found;
}

async function runAxe(options: RunOptions): Promise<string[]> {
  const transitions = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
  await Promise.allSettled(transitions.map(({ finished }) => finished));
  const { violations } = await (Reflect.get(window, "axe") as typeof axe).run(document, options);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

/** How many pixels the page is wider than its window; 0 is expected. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
