import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { default as Axe, RunOptions } from "axe-core";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Frame,
  type LaunchOptions,
  type Page,
} from "playwright-core";
import { expect, onTestFinished, TestRunner } from "vitest";
import { unpackChromium } from "./chromium.ts";
import { reportFailedPage } from "./report-failed-page.ts";

export type TestBrowser = Awaited<ReturnType<typeof startBrowser>>;

/** The browser of this worker, shared by the files that run in it. */
let shared: Promise<Browser> | undefined;

type Opened = { page: Page; problems: string[] };

/**
 * Starts a real Chromium. A page that a test opens is closed when the test ends, because an open page keeps using the
 * CPU. `close` closes all other pages. A browser with its own launch options is not shared, and `close` ends it.
 */
export async function startBrowser(options?: LaunchOptions) {
  const browser = options ? await launch(options) : await sharedBrowser();
  const contexts: BrowserContext[] = [];
  const warm = createWarmContexts(newContext);

  async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
    const context = await browser.newContext({ reducedMotion: "reduce", ...options });
    contexts.push(context);
    return context;
  }

  /** Opens a page in its own context. `problems` lists uncaught exceptions and CSP violations. */
  async function open(options: BrowserContextOptions = {}): Promise<Opened> {
    const context = await newContext(options);
    if (TestRunner.getCurrentTest()) onTestFinished(() => context.close());
    return openPage(context);
  }

  return {
    open,
    /**
     * Opens a page in a context that no other page is using. An earlier test may have used the context, which was
     * cleared afterwards.
     */
    openWarm: async (options: BrowserContextOptions = {}): Promise<Opened> =>
      TestRunner.getCurrentTest() ? openPage(await warm.take(options)) : open(options),
    async close(): Promise<void> {
      await Promise.all(contexts.map((context) => context.close()));
      if (options) await browser.close();
    },
  };
}

async function openPage(context: BrowserContext): Promise<Opened> {
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) problems.push(message.text());
  });
  if (TestRunner.getCurrentTest()) reportFailedPage(page);
  return { page, problems };
}

/** What a page can leave behind besides cookies. The HTTP cache is kept. */
const storageTypes = "local_storage,indexeddb,cache_storage,service_workers";

/**
 * Manages contexts that tests use one after another. A dashboard page loads in half the time in a process that has
 * loaded it before, so each context keeps one page open to keep its process. Everything else that a test leaves behind
 * is deleted.
 */
function createWarmContexts(create: (options: BrowserContextOptions) => Promise<BrowserContext>) {
  const free = new Map<string, BrowserContext[]>();
  const keepers = new Map<BrowserContext, Page>();

  /** @returns null when the page's server has ended with its test */
  async function openKeeper(context: BrowserContext, origin: string): Promise<Page | null> {
    const keeper = await context.newPage();
    return keeper.goto(`${origin}/healthz`).then(
      () => keeper,
      () => null,
    );
  }

  /** @returns false when the context cannot be used again */
  async function clear(context: BrowserContext): Promise<boolean> {
    const pages = context.pages();
    const urls = pages.flatMap((page) => page.frames()).map((frame) => frame.url());
    // A frame that has not started to load has an empty URL.
    const origins = new Set(urls.filter((url) => url !== "").map((url) => new URL(url).origin));
    origins.delete("null");
    const [origin] = origins;
    if (origin === undefined) return false;
    const keeper = keepers.get(context) ?? (await openKeeper(context, origin));
    if (!keeper) return false;
    keepers.set(context, keeper);
    await Promise.all(pages.map((page) => page === keeper || page.close()));
    const session = await context.newCDPSession(keeper);
    for (const origin of origins) await session.send("Storage.clearDataForOrigin", { origin, storageTypes });
    await session.detach();
    await context.clearCookies();
    return true;
  }

  return {
    /** Provides a context for the rest of the running test. */
    async take(options: BrowserContextOptions): Promise<BrowserContext> {
      const key = JSON.stringify(options);
      const context = free.get(key)?.pop() ?? (await create(options));
      let isClosed = false;
      context.once("close", () => {
        isClosed = true;
      });
      onTestFinished(async () => {
        if (isClosed) return;
        if (await clear(context)) free.set(key, [...(free.get(key) ?? []), context]);
        else await context.close();
      });
      return context;
    },
  };
}

/** Starts the browser again after a crash. It ends with the worker's process. */
async function sharedBrowser(): Promise<Browser> {
  const current = await shared?.catch(() => undefined);
  if (!current?.isConnected()) shared = launch();
  return shared as Promise<Browser>;
}

/**
 * Pages in tests live only for seconds, so optimizing their code costs more than it saves. The same is true for
 * collecting garbage on several threads and for a small young generation, which is collected often. Without these
 * flags, a test file uses a seventh more CPU time. Benchmarks do not use them.
 */
const shortLived = "--js-flags=--no-opt --no-maglev --single-threaded-gc --min-semi-space-size=16";

async function launch(options: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    ...options,
    executablePath: await unpackChromium(),
    args: [
      "--no-sandbox",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      // Pages of a context share a process. By default, each page has its own.
      "--process-per-site",
      ...(process.env.VITEST ? [shortLived] : []),
    ],
  });
}

/**
 * Returns the violations that axe finds on the page in the light and the dark color scheme, as `scheme rule: elements`.
 * The schemes differ only in colors, so the dark one is checked only for contrast.
 */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  const problems = await problemsInBothSchemes(page);
  await page.emulateMedia({ colorScheme: "light" });
  return problems;
}

/**
 * Expects a page without accessibility problems that is no wider than a phone. Afterwards, the page has the light
 * scheme and its original size. Scheme and size change together, because each change renders the whole page again.
 */
export async function expectFit(page: Page): Promise<void> {
  expect(await problemsInBothSchemes(page)).toEqual([]);
  const size = page.viewportSize();
  await Promise.all([page.emulateMedia({ colorScheme: "light" }), page.setViewportSize({ width: 390, height: 844 })]);
  await expect.poll(() => measureOverflow(page)).toBe(0);
  if (size) await page.setViewportSize(size);
}

/** Leaves the page in the dark scheme. */
async function problemsInBothSchemes(page: Page): Promise<string[]> {
  await Promise.all(page.frames().map(injectAxe));
  await page.emulateMedia({ colorScheme: "light" });
  const light = await findViolations(page, {});
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await findViolations(page, { runOnly: ["color-contrast", "link-in-text-block"] });
  return [...light.map((problem) => `light ${problem}`), ...dark.map((problem) => `dark ${problem}`)];
}

/** The minified script takes a fifth less time than `axe.source`, which is the readable one. */
const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Loads axe once per document. Its script has 650 kB, and running it takes half as long as checking a page. */
async function injectAxe(frame: Frame): Promise<void> {
  if (!(await frame.evaluate(() => "axe" in window))) await frame.evaluate(axeSource);
}

/**
 * Runs axe in the page until it finds nothing, or for five seconds, because pages take time to follow a change of the
 * color scheme. Only violations are described, because describing passed rules takes half of the time.
 */
async function findViolations(page: Page, options: RunOptions): Promise<string[]> {
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
  // An open menu hides the rest of the page, with its heading and landmarks, and keeps the focus.
  const hidden = ["region", "landmark-one-main", "page-has-heading-one", "aria-hidden-focus"];
  const rules = Object.fromEntries(hidden.map((id) => [id, { enabled: false }]));
  const { violations } = await (Reflect.get(window, "axe") as typeof Axe).run(document, {
    ...options,
    ...(document.querySelector("[role=menu]") ? { rules: { ...options.rules, ...rules } } : {}),
  });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(", ")}`);
}

/** Returns the number of pixels by which the page is wider than its window. 0 is expected. */
export function measureOverflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
