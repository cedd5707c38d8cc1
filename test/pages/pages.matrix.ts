import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bundledPages } from "./bundled-pages.ts";
import { formatMatrix } from "./format-matrix.ts";
import { frameworkPages } from "./framework-pages.ts";
import { libraryPages } from "./library-pages.ts";
import { plainPages } from "./plain-pages.ts";
import { describeDifferences, devicesOfVisitors, type Row, startHostPages } from "./visit-page.ts";

const only = process.env.FOYER_PAGES?.split(",");
const pages = [...plainPages, ...libraryPages, ...bundledPages, ...frameworkPages].filter(
  ({ name }) => !only || only.includes(name),
);

describe("the widget on host pages", () => {
  let hostPages: Awaited<ReturnType<typeof startHostPages>>;
  const rows: Row[] = [];

  beforeAll(async () => {
    hostPages = await startHostPages();
  });
  afterAll(async () => {
    console.log(formatMatrix(rows));
    await hostPages.stop();
  });

  it.each(pages)("changes nothing on $name", async (page) => {
    const visited = await Promise.all(devicesOfVisitors.map((device) => hostPages.visit(page, device)));
    rows.push(...visited);
    console.log([formatMatrix(visited), ...visited.flatMap(describeDifferences)].join("\n"));
    expect(visited.flatMap(describeDifferences)).toEqual([]);
  });
});
