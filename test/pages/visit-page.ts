import { devices } from "playwright-core";
import { startUpstream } from "../upstream.ts";
import { startFormsSite } from "../widget-forms.ts";
import { answerVisitor, form } from "./agent.ts";
import { type Site, startSite } from "./host-site.ts";
import { compareStates, type Records, readState, recordPage, waitUntilQuiet } from "./page-state.ts";
import { steps, type Visit } from "./steps.ts";

/** A website that embeds the widget. `start` builds and starts what it needs; `stop` ends it. */
export type HostPage = {
  name: string;
  /** The path of the first page, when it is not `/`. */
  path?: string;
  hasDismissibleDialog?: boolean;
  start: () => Promise<Site & { stop?: () => Promise<void> }>;
};

export const devicesOfVisitors = ["desktop", "phone"] as const;
export type Device = (typeof devicesOfVisitors)[number];

/** For each step, the differences that it caused, or the error that ended the visit. */
export type Row = { page: string; device: Device; cells: Record<string, string[]> };

const SETTLE_MS = 3_000;

const contextOptions = {
  desktop: { viewport: { width: 1280, height: 800 }, reducedMotion: "no-preference" },
  phone: { ...devices["Pixel 7"], viewport: { width: 390, height: 800 }, reducedMotion: "no-preference" },
} as const;

/** A server whose agent answers visitors of host pages, and the means to visit them. */
export async function startHostPages() {
  const foyer = await startFormsSite();
  // Pages without the widget load this script instead, so that they are the same otherwise.
  const empty = await startUpstream(({ response }) =>
    response.writeHead(200, { "content-type": "text/javascript" }).end(),
  );
  const agentId = await foyer.createAgent();
  await foyer.addForm(agentId, form);
  foyer.upstream.script(answerVisitor);
  const scriptOrigins = [foyer.server.url, empty.url];

  async function open(
    { path = "/", hasDismissibleDialog = false }: HostPage,
    origin: string,
    device: Device,
    hasWidget: boolean,
  ): Promise<Opened> {
    const { page } = await foyer.browser.open(contextOptions[device]);
    page.setDefaultTimeout(15_000);
    const records = await recordPage(page, origin);
    const devtools = await page.context().newCDPSession(page);
    await page.goto(origin + path);
    return { visit: { page, hasWidget, hasDismissibleDialog, isPhone: device === "phone", devtools }, records };
  }

  return {
    /**
     * Opens the page with the widget and without it, does the same on both, and compares them after each step. A
     * difference that stays is reported once.
     */
    async visit(page: HostPage, device: Device, names: string[] = steps.map(({ name }) => name)): Promise<Row> {
      const site = await page.start();
      const sites = await Promise.all(scriptOrigins.map((scriptOrigin) => startSite(site, { scriptOrigin, agentId })));
      const visits = await Promise.all(sites.map(({ origin }, index) => open(page, origin, device, index === 0)));
      const cells: Row["cells"] = {};
      const known = new Set<string>();
      for (const step of steps.filter(({ name }) => names.includes(name))) {
        const isAllowed = (difference: string) =>
          known.has(difference) || (step.allowed?.test(difference) === true && device === "phone");
        try {
          await Promise.all(visits.map(({ visit }) => step.run(visit)));
          const differences = await compareWhenQuiet(visits, isAllowed);
          cells[step.name] = differences;
          for (const difference of differences) known.add(difference);
        } catch (error) {
          cells[step.name] = [(error as Error).message.split("\n").slice(0, 4).join(" ")];
          break;
        }
      }
      await Promise.all(visits.map(({ visit }) => visit.page.context().close()));
      await Promise.all(sites.map((each) => each.stop()));
      await site.stop?.();
      return { page: page.name, device, cells };
    },
    async stop() {
      await foyer.stop();
      await empty.stop();
    },
  };
}

type Opened = { visit: Visit; records: Records };

/** One line for each difference, with its device and step. */
export const describeDifferences = ({ device, cells }: Row) =>
  Object.entries(cells).flatMap(([step, differences]) => differences.map((text) => `${device}, ${step}: ${text}`));

/** A page that is still scrolling or loading differs for a moment, so only a difference that stays is reported. */
async function compareWhenQuiet(visits: Opened[], isAllowed: (difference: string) => boolean): Promise<string[]> {
  const giveUpAt = performance.now() + SETTLE_MS;
  let differences: string[];
  do {
    const states = await Promise.all(
      visits.map(async ({ visit, records }) => {
        await waitUntilQuiet(visit.page, records);
        return readState(visit.page, records);
      }),
    );
    differences = compareStates(states[0] ?? {}, states[1] ?? {}).filter((difference) => !isAllowed(difference));
  } while (differences.length > 0 && performance.now() < giveUpAt);
  return differences;
}
