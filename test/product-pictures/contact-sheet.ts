import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** The pictures of pages and states, which are looked at and not part of the repository. */
const folder = join(import.meta.dirname, "../../.pictures");

/** One column of a contact sheet: a size and a color scheme. */
type Shot = { width: number; height: number; colorScheme: "light" | "dark" };

const shots: readonly Shot[] = (["light", "dark"] as const).flatMap((colorScheme) => [
  { width: 1440, height: 900, colorScheme },
  { width: 390, height: 844, colorScheme },
]);

type Cell = { caption: string; file: string };

/**
 * Collects the pictures of one area, and puts them on sheets of twelve. `isWidget` shows only the corner of wide pictures
 * on the sheets, where the widget is.
 */
export function createContactSheet(area: string, { isWidget = false } = {}) {
  const cells: Cell[] = [];
  mkdirSync(join(folder, area), { recursive: true });
  return {
    /** Takes the page as it is, as `<folder>/<area>/<name>.png`. */
    async take(page: Page, name: string): Promise<void> {
      const file = join(folder, area, `${name}.png`);
      await page.screenshot({ path: file, animations: "disabled" });
      cells.push({ caption: name, file });
    },
    /** Takes the page in every size and scheme. Afterwards, it is wide and light. */
    async takeAll(page: Page, name: string): Promise<void> {
      for (const { width, height, colorScheme } of shots) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme });
        await this.take(page, `${name}-${width}-${colorScheme}`);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "light" });
    },
    /** Writes `<folder>/<area>-<number>.png` with twelve pictures each, and returns the number of sheets. */
    async write(page: Page): Promise<number> {
      const sheets = Array.from({ length: Math.ceil(cells.length / 12) }, (_, at) =>
        cells.slice(at * 12, at * 12 + 12),
      );
      for (const [at, sheet] of sheets.entries()) {
        const image = ({ file }: Cell) => `data:image/png;base64,${readFileSync(file).toString("base64")}`;
        const figures = sheet.map(
          (cell) => `<figure><img src="${image(cell)}"><figcaption>${cell.caption}</figcaption>`,
        );
        await page.setViewportSize({ width: 1960, height: 1200 });
        await page.setContent(`<style>
          body { display: flex; flex-wrap: wrap; gap: 16px; margin: 16px; background: #d6d3d1; font: 14px sans-serif; }
          figure { margin: 0; } img { display: block; height: 470px; ${isWidget ? "max-width: 300px; object-fit: cover; object-position: right bottom;" : ""} } figcaption { padding-top: 4px; }
        </style>${figures.join("")}`);
        const picture = await page.screenshot({ fullPage: true });
        writeFileSync(join(folder, `${area}-${String(at + 1).padStart(2, "0")}.png`), picture);
      }
      return sheets.length;
    },
  };
}
