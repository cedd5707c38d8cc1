import { describe, expect, it } from "vitest";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { readSiteFile } from "./read-site-file.ts";
import { createSiteClients } from "./site-client.ts";

const page = { status: 200, headers: {}, body: Buffer.from("Text"), truncated: false, durationMs: 1 };
const outbound = { request: async () => page } as unknown as Outbound;

describe("the site client", () => {
  it("requests a host again after a request was aborted just as its turn came", async () => {
    const client = createSiteClients(outbound).forOrganization("org_one");
    const options = { url: "https://example.com/", maxBytes: 1_000, crawlDelayMs: null };
    const stopped = new AbortController();
    const aborted = client.get({ ...options, signal: stopped.signal });
    stopped.abort(new Error("stopped"));
    await expect(aborted).rejects.toThrow("stopped");
    const signal = AbortSignal.timeout(2_000);
    expect(await client.get({ ...options, signal })).toMatchObject({ status: 200 });
  });

  it.each([
    ["the delay that robots.txt asks for", 2_000, 2_000],
    ["at most 10 seconds, whatever robots.txt asks for", 3_600_000, 10_000],
    ["50 milliseconds without a delay in robots.txt", null, 50],
  ])("waits between two requests to a host for %s", async (_, crawlDelayMs, expected) => {
    const pauses: number[] = [];
    const client = createSiteClients(outbound, async (ms) => void pauses.push(ms)).forOrganization("org_one");
    const { signal } = new AbortController();
    for (const url of ["https://example.com/a", "https://other.example/", "https://example.com/b"]) {
      await client.get({ url, maxBytes: 1_000, crawlDelayMs, signal });
    }
    expect(pauses).toEqual([expect.closeTo(expected, -2)]);
  });

  it("lets organizations that read the same host take turns, one request at a time", async () => {
    const turns: string[] = [];
    let running = 0;
    const host = {
      async request({ organizationId }: { organizationId: string }) {
        expect(++running).toBe(1);
        turns.push(organizationId);
        await new Promise(setImmediate);
        running--;
        return page;
      },
    } as unknown as Outbound;
    const clients = createSiteClients(host, async () => {});
    const { signal } = new AbortController();
    const get = (organizationId: string) =>
      clients.forOrganization(organizationId).get({
        url: "https://example.com/",
        maxBytes: 1_000,
        crawlDelayMs: null,
        signal,
      });
    await Promise.all([...Array.from({ length: 20 }, () => get("org_greedy")), get("org_honest")]);
    expect(turns.indexOf("org_honest")).toBeLessThanOrEqual(2);
  });
});

it("the delay for this robot is read from robots.txt", () => {
  const robots = "User-agent: *\nCrawl-delay: 7\n\nUser-agent: FoyerBot\nCrawl-delay: 3";
  const scope = { origin: "https://example.com", include: [], exclude: [], robots };
  const job = { kind: "robots", scope, startUrl: "https://example.com/" } as const;
  expect(readSiteFile(job, new Uint8Array())).toMatchObject({ crawlDelayMs: 3_000, isStartAllowed: true });
});
