import { describe, expect, it } from "vitest";
import type { Outbound } from "../../outbound/guarded-request.ts";
import { readSiteFile } from "../extract/read-site-file.ts";
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
    const signal = AbortSignal.timeout(60_000);
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

  it("requests a page again after the time that the site asks for, and then leaves more time between requests", async () => {
    const answers = [{ ...page, status: 429, headers: { "retry-after": "3" } }, page, page];
    const limited = { request: async () => answers.shift() } as unknown as Outbound;
    const pauses: number[] = [];
    const client = createSiteClients(limited, async (ms) => void pauses.push(ms)).forOrganization("org_one");
    const { signal } = new AbortController();
    const options = { maxBytes: 1_000, crawlDelayMs: null, signal };
    expect(await client.get({ ...options, url: "https://example.com/a" })).toMatchObject({ status: 200 });
    await client.get({ ...options, url: "https://example.com/b" });
    expect(pauses[0]).toBe(3_000);
    expect(pauses.at(-1)).toBeCloseTo(250, -2);
  });

  it("gives up a page that a site refuses again and again", async () => {
    let requests = 0;
    const refused = { ...page, status: 429 };
    const limited = {
      async request() {
        requests++;
        return refused;
      },
    } as unknown as Outbound;
    const client = createSiteClients(limited, async () => {}).forOrganization("org_one");
    const { signal } = new AbortController();
    const options = { url: "https://example.com/a", maxBytes: 1_000, crawlDelayMs: null, signal };
    expect(await client.get(options)).toMatchObject({ status: 429 });
    expect(requests).toBe(6);
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

type Patterns = { include?: string[]; exclude?: string[] };

const addressJob = (urls: string[], { include = [], exclude = [] }: Patterns = {}) => ({
  kind: "addresses" as const,
  scope: { origin: "https://example.com", robots: null, include, exclude },
  urls,
});
const readAddresses = (...args: Parameters<typeof addressJob>) =>
  (readSiteFile(addressJob(...args), new Uint8Array()) as { allowed: string[] }).allowed;

it.each([
  ["?PHPSESSID=0123456789abcdef", ""],
  [";jsessionid=0A1B2C.node1?x=1", "?x=1"],
  ["?a=1&sid=0123456789abcdef0123&b=2", "?a=1&b=2"],
  ["?sid=story", "?sid=story"],
  ["?CFID=1&CFTOKEN=2", ""],
  ["?ASPSESSIONIDAB=XYZ", ""],
  ["?replytocom=12#respond", ""],
])("the address /a%s is read as /a%s", (written, normalized) => {
  expect(readAddresses([`https://example.com/a${written}`])).toEqual([`https://example.com/a${normalized}`]);
});

it("spellings of the host with and without www belong to a site", () => {
  const urls = [
    "https://www.example.com/a",
    "https://EXAMPLE.com./b",
    "http://example.com/c",
    "https://other.example/d",
  ];
  expect(readAddresses(urls)).toEqual(["https://example.com/a", "https://example.com/b", "https://example.com/c"]);
});

it("a path that repeats a segment three times is a trap of relative links", () => {
  const urls = ["https://example.com/about/about/about/", "https://example.com/2001/01/01/01/x"];
  expect(readAddresses(urls)).toEqual(["https://example.com/2001/01/01/01/x"]);
});

it("patterns with a question mark are compared with the query", () => {
  const urls = ["https://example.com/list?page=2", "https://example.com/list?sort=price", "https://example.com/list"];
  expect(readAddresses(urls, { exclude: ["/list?sort=*"] })).toEqual([urls[0], urls[2]]);
  expect(readAddresses(urls, { include: ["/list?page=*"] })).toEqual([urls[0]]);
});
