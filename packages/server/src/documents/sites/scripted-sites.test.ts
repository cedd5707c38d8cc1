import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DocumentClient, openDocuments } from "../../../../../test/document-client.ts";
import { type ScriptedSite, scriptedSites } from "../../../../../test/scripted-sites.ts";
import { createSourceClient } from "../../../../../test/site-client.ts";
import { type SiteServer, startSite } from "../../../../../test/site-server.ts";

let client: DocumentClient;
beforeAll(async () => {
  client = await openDocuments({ listen: true });
});
afterAll(() => client.server.stop());

describe.each(scriptedSites)("a sync of a site with $name", (scripted) => {
  let site: SiteServer;
  let synced: Awaited<ReturnType<typeof sync>>;
  beforeAll(async () => {
    site = await startSite();
    synced = await sync(scripted, site);
  }, 60_000);
  afterAll(() => site.stop());

  it("reads exactly the pages of the site", () => {
    expect(synced.read).toEqual([...scripted.read].sort());
  });
  it("counts the pages that were found, and the unused ones by reason", () => {
    const unused = Object.values(scripted.unused ?? {}).reduce((sum, count) => sum + count, 0);
    expect([synced.found, synced.unused]).toEqual([scripted.read.length + unused, scripted.unused ?? {}]);
  });
  it("reports why it read less than the site has, and nothing else", () => {
    expect([synced.error?.code, synced.error?.message]).toEqual([
      scripted.error,
      scripted.message === undefined ? undefined : expect.stringContaining(scripted.message),
    ]);
  });
});

async function sync({ build, settings, unused = {} }: ScriptedSite, site: SiteServer) {
  const sources = createSourceClient(client);
  build(site);
  const source = await sources.read(`${site.url}/`, settings);
  const pages = await sources.pages(source.id);
  const read = pages.flatMap((line) => (line.endsWith(" read") ? [line.slice(0, -" read".length)] : []));
  // The scripted sites name the beginning of each reason.
  const reasons = source.unused.map(({ reason, count }) => {
    const known = Object.keys(unused).find((start) => reason.startsWith(start));
    return [known ?? reason, count] as const;
  });
  return { ...source, read: read.sort(), unused: Object.fromEntries(reasons) };
}
