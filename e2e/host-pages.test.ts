import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { plainPages } from "../test/pages/plain-pages.ts";
import { type Device, describeDifferences, startHostPages } from "../test/pages/visit-page.ts";

/** The steps of each page, and the device on which its kind of library gets in the way. */
const short: Array<[page: string, device: Device, steps: string[]]> = [
  ["a router on the History API", "phone", ["open", "close", "back"]],
  ["a router on the Navigation API", "phone", ["open", "close"]],
  ["a dialog that keeps the focus", "desktop", ["open", "type"]],
  ["style sheets that reset everything", "desktop", ["open", "type", "send"]],
  ["document.open after the page has loaded", "phone", ["open"]],
  ["prototypes and globals that an old library replaced", "desktop", ["open", "type", "send"]],
];

/** `npm run test:pages` does all steps on pages of real frameworks. */
describe("the widget on host pages", () => {
  let hostPages: Awaited<ReturnType<typeof startHostPages>>;
  beforeAll(async () => {
    hostPages = await startHostPages();
  });
  afterAll(() => hostPages.stop());

  it.each(short)("changes nothing on a page with %s, on a %s", async (name, device, steps) => {
    const page = plainPages.find((each) => each.name === name);
    if (!page) throw new Error(`no page ${name}`);
    const row = await hostPages.visit(page, device, ["load", "prepare", ...steps]);
    expect(describeDifferences(row)).toEqual([]);
  });
});
