import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startUpstream } from "../upstream.ts";
import { type FormsSite, startFormsSite } from "../widget-forms.ts";
import { answerVisitor, form } from "./agent.ts";
import { bundledPages } from "./bundled-pages.ts";
import { formatMatrix } from "./format-matrix.ts";
import { frameworkPages } from "./framework-pages.ts";
import { libraryPages } from "./library-pages.ts";
import { plainPages } from "./plain-pages.ts";
import { devicesOfVisitors, type Row, visitPage } from "./visit-page.ts";

const only = process.env.FOYER_PAGES?.split(",");
const pages = [...plainPages, ...libraryPages, ...bundledPages, ...frameworkPages].filter(
  ({ name }) => !only || only.includes(name),
);

describe("the widget on host pages", () => {
  let foyer: FormsSite;
  let empty: Awaited<ReturnType<typeof startUpstream>>;
  let agentId: string;
  const rows: Row[] = [];

  beforeAll(async () => {
    foyer = await startFormsSite();
    // Pages without the widget load this script instead, so that they are the same otherwise.
    empty = await startUpstream(({ response }) => response.writeHead(200, { "content-type": "text/javascript" }).end());
    agentId = await foyer.createAgent();
    await foyer.addForm(agentId, form);
    foyer.upstream.script(answerVisitor);
  });
  afterAll(async () => {
    console.log(formatMatrix(rows));
    await foyer.stop();
    await empty.stop();
  });

  it.each(pages)("changes nothing on $name", async (page) => {
    const site = await page.start();
    const embeds = {
      withWidget: { scriptOrigin: foyer.server.url, agentId },
      without: { scriptOrigin: empty.url, agentId },
    };
    const visited = await Promise.all(devicesOfVisitors.map((device) => visitPage(foyer, page, site, embeds, device)));
    await site.stop?.();
    rows.push(...visited);
    console.log([formatMatrix(visited), ...visited.flatMap(describeDifferences)].join("\n"));
    expect(visited.flatMap(describeDifferences)).toEqual([]);
  });
});

const describeDifferences = ({ device, cells }: Row) =>
  Object.entries(cells).flatMap(([step, differences]) => differences.map((text) => `${device}, ${step}: ${text}`));
