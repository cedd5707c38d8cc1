import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** The folder for screenshots. Without it, no screenshots are taken, because they take half of the test's time. */
const folder = process.env.FOYER_SCREENSHOTS;

const sizes = { wide: [1440, 900], middle: [1024, 768], phone: [390, 844] } as const;

/** Takes screenshots at three widths, in light and in dark, as `<name>-<width>-<scheme>.png`. */
export async function takePictures(page: Page, name: string): Promise<void> {
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  const before = page.viewportSize();
  for (const [size, [width, height]] of Object.entries(sizes)) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(folder, `${name}-${size}-${colorScheme}.png`) });
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  if (before) await page.setViewportSize(before);
}
