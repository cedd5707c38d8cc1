import { existsSync } from "node:fs";
import { launch } from "puppeteer-core";
import type { Engine } from "./engine.ts";

const executablePath = "/usr/bin/firefox-esr";

/** Firefox over WebDriver BiDi. */
export const firefox: Engine = {
  name: "Firefox",
  phoneWidth: 390,
  missingPackages: () => (existsSync(executablePath) ? [] : ["firefox-esr"]),
  async open() {
    const browser = await launch({
      browser: "firefox",
      executablePath,
      headless: true,
      // Without these preferences, headless Firefox claims to have no mouse: `(hover: hover)` is false.
      extraPrefsFirefox: { "ui.primaryPointerCapabilities": 6, "ui.allPointerCapabilities": 6 },
    });
    // The browser's first page never receives the focus, so it is not used.
    const page = await browser.newPage();
    return {
      goto: async (url) => void (await page.goto(url)),
      resize: (width, height) => page.setViewport({ width, height }),
      read: (expression) => page.evaluate(expression),
      evaluate: (script, ...args) => page.evaluate(script as (...args: unknown[]) => unknown, ...args) as never,
      click: (x, y) => page.mouse.click(x, y),
      type: (text) => page.keyboard.type(text),
      press: (key) => page.keyboard.press(key),
      screenshot: async (path) => void (await page.screenshot({ path: path as `${string}.png` })),
      close: () => browser.close(),
    };
  },
};
