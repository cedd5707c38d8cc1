import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";

/** The pictures of pages and states, which are looked at and not part of the repository. */
const folder = join(import.meta.dirname, "../../.pictures");

type Shot = {
  name: string;
  width: number;
  height: number;
  colorScheme: "light" | "dark";
  forcedColors: "none" | "active";
};

const schemes: ReadonlyArray<Omit<Shot, "width" | "height">> = [
  { name: "light", colorScheme: "light", forcedColors: "none" },
  { name: "dark", colorScheme: "dark", forcedColors: "none" },
  { name: "forced", colorScheme: "dark", forcedColors: "active" },
];

/** Each size in each scheme, and with the few colors that a user forces on all pages. */
const shots: readonly Shot[] = schemes.flatMap((scheme) => [
  { ...scheme, width: 1440, height: 900 },
  { ...scheme, width: 390, height: 844 },
]);

type Cell = { caption: string; file: string };

/** The pictures of two pages. */
const PER_SHEET = 2 * shots.length;

/**
 * Collects the pictures of one area, and puts them on sheets. `isWidget` keeps only the corner of wide pictures, where
 * the widget is. `isFullPage` also takes what is below the window.
 */
export function createContactSheet(area: string, { isWidget = false, isFullPage = false } = {}) {
  const cells: Cell[] = [];
  mkdirSync(join(folder, area), { recursive: true });
  return {
    /** Takes the page as it is, as `<folder>/<area>/<name>.png`. */
    async take(page: Page, name: string): Promise<void> {
      const file = join(folder, area, `${name}.png`);
      const { width = 0, height = 0 } = page.viewportSize() ?? {};
      const corner = { x: width - 480, y: 0, width: 480, height };
      await page.screenshot({
        path: file,
        fullPage: isFullPage,
        animations: "disabled",
        ...(isWidget && width > 1_000 ? { clip: corner } : {}),
      });
      cells.push({ caption: name, file });
    },
    /** Takes the page in every size and scheme. Afterwards, it is wide and light. */
    async takeAll(page: Page, name: string): Promise<void> {
      for (const { name: shot, width, height, colorScheme, forcedColors } of shots) {
        await page.setViewportSize({ width, height });
        await page.emulateMedia({ colorScheme, forcedColors });
        await this.take(page, `${name}-${width}-${shot}`);
      }
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
    },
    /** Writes the sheets as `<folder>/<area>-<number>.png`. @returns how many there are */
    async write(page: Page): Promise<number> {
      const count = Math.ceil(cells.length / PER_SHEET);
      for (let at = 0; at < count; at++) {
        await page.setViewportSize({ width: 1880, height: 600 });
        await page.setContent(sheetHtml(cells.slice(at * PER_SHEET, (at + 1) * PER_SHEET)));
        const path = join(folder, `${area}-${String(at + 1).padStart(2, "0")}.png`);
        await page.screenshot({ path, fullPage: true });
      }
      return count;
    },
  };
}

function sheetHtml(cells: readonly Cell[]): string {
  const figures = cells.map(({ caption, file }) => {
    const image = readFileSync(file).toString("base64");
    return `<figure><img src="data:image/png;base64,${image}"><figcaption>${caption}</figcaption></figure>`;
  });
  return `<style>
    body { display: flex; flex-wrap: wrap; gap: 12px; margin: 12px; background: #d6d3d1; font: 14px sans-serif; }
    figure { margin: 0; }
    img { display: block; max-width: 600px; height: 420px; object-fit: contain; object-position: right top; }
  </style>${figures.join("")}`;
}
