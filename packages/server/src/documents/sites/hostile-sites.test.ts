import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { type DocumentClient, openDocuments } from "../../../../../test/document-client.ts";
import { createSourceClient, type SourceClient } from "../../../../../test/site-client.ts";
import { page, type SiteServer, sitemap, startSite } from "../../../../../test/site-server.ts";

let client: DocumentClient;
let sources: SourceClient;
let site: SiteServer;
beforeAll(async () => {
  client = await openDocuments({ listen: true });
  sources = createSourceClient(client);
});
afterAll(() => client.server.stop());
beforeEach(async () => {
  site = await startSite();
});
afterEach(() => site.stop());

it("a sync skips a redirect loop, a redirect to a private address, and a page that is too large", async () => {
  site.pages.set("/", page("Start", "Start.", ["/loop", "/metadata", "/huge", "/bomb"]));
  site.pages.set("/loop", { status: 302, headers: { location: "/loop" } });
  site.pages.set("/metadata", { status: 302, headers: { location: "http://169.254.169.254/latest" } });
  site.pages.set("/huge", { headers: { "content-type": "text/html" }, body: Buffer.alloc(11 * 1024 * 1024, "x") });
  const headers = { "content-type": "text/html", "content-encoding": "gzip" };
  site.pages.set("/bomb", { headers, body: gzipSync(Buffer.alloc(30 * 1024 * 1024)) });
  const { id, error } = await sources.read(site.url);
  expect(error).toBeNull();
  const pages = await sources.pages(id, { reasons: true });
  expect(pages[0]).toBe("/ read");
  expect(pages[1]).toMatch(/^\/bomb skipped: .* is larger than 10 MB/);
  expect(pages[2]).toMatch(/^\/huge skipped: .* is larger than 10 MB/);
  expect(pages[3]).toMatch(/^\/loop skipped: .* redirects more than 5 times/);
  expect(pages[4]).toMatch(/^\/metadata skipped: .*169\.254\.169\.254/);
});

it("a sync stops at the maximum number of pages on a site with endless links and reports it", async () => {
  const endless = (number: number) => {
    site.pages.set(number === 0 ? "/" : `/${number}`, (_, response) => {
      endless(number + 1);
      response.setHeader("content-type", "text/html");
      response.end(page(`Page ${number}`, `Text ${number}`, [`/${number + 1}`]));
    });
  };
  endless(0);
  const { pages, error } = await sources.read(site.url, { maxPages: 8 });
  expect(pages).toMatchObject({ read: 8, pending: 0 });
  expect(error).toMatchObject({ code: "TOO_MANY_PAGES", message: expect.stringContaining("More than 8 pages") });
});

it("a sync reads the other pages when a sitemap is a decompression bomb, is cut or lists no address", async () => {
  site.pages.set("/", page("Start", "Start."));
  site.pages.set("/robots.txt", `Sitemap: ${site.url}/s.xml`);
  const bomb = gzipSync(Buffer.concat([Buffer.from("<urlset>"), Buffer.alloc(60 * 1024 * 1024, " ")]));
  for (const [body, reason] of [
    [bomb, "unpacks to more than 50 MB"],
    ["<urlset><url><loc>", "ends before it is complete"],
    ["Maintenance", "no address in it can be recognized"],
  ] as const) {
    site.pages.set("/s.xml", { body, headers: { "content-type": "application/octet-stream" } });
    const { id, pages, error } = await sources.read(site.url);
    expect(pages.read).toBe(1);
    expect(error).toMatchObject({ code: "SITEMAP_FAILED", message: expect.stringContaining(reason) });
    await client.account.call("DELETE", `/sources/${id}`);
  }
});

it("a sync reads nothing when robots.txt forbids everything or cannot be fetched, and explains how to fix it", async () => {
  site.pages.set("/", page("Start", "Start."));
  site.pages.set("/robots.txt", "User-agent: *\nDisallow: /");
  const forbidden = await sources.read(site.url);
  expect(forbidden.error).toMatchObject({ code: "NOT_ALLOWED", message: expect.stringContaining("FoyerBot") });
  site.pages.set("/robots.txt", { status: 500 });
  expect((await sources.sync(forbidden.id)).error).toMatchObject({ code: "NOT_REACHABLE" });
  expect(site.requests.map(({ path }) => path)).not.toContain("/");
  site.pages.set("/robots.txt", "User-agent: *\nDisallow: /\n\nUser-agent: FoyerBot\nAllow: /");
  expect(await sources.sync(forbidden.id)).toMatchObject({ error: null, pages: { read: 1 } });
});

it("a sync lists pages that robots.txt excludes without requesting them", async () => {
  site.pages.set("/robots.txt", "User-agent: *\nDisallow: /private/");
  site.pages.set("/sitemap.xml", sitemap([`${site.url}/private/a`, `${site.url}/open`]));
  site.pages.set("/", page("Start", "Start.", ["/private/b"]));
  site.pages.set("/open", page("Open", "Open."));
  const { id } = await sources.read(site.url);
  const excluded = "skipped: robots.txt excludes the page.";
  expect(await sources.pages(id, { reasons: true })).toEqual([
    "/ read",
    "/open read",
    `/private/a ${excluded}`,
    `/private/b ${excluded}`,
  ]);
  expect(site.requests.filter(({ path }) => path.startsWith("/private"))).toEqual([]);
});

it("a sync reads the allowed pages of a site with more excluded pages than its maximum of pages", async () => {
  const excluded = Array.from({ length: 6 }, (_, number) => `/cart?add=${number}`);
  site.pages.set("/robots.txt", "User-agent: *\nDisallow: /cart");
  site.pages.set("/", page("Start", "Start.", [...excluded, "/a"]));
  site.pages.set("/a", page("A", "Text of A.", ["/b"]));
  site.pages.set("/b", page("B", "Text of B."));
  const linked = await sources.read(site.url, { maxPages: 3 });
  expect(linked).toMatchObject({ error: null, pages: { read: 3, skipped: 3 } });
  await client.account.call("DELETE", `/sources/${linked.id}`);

  site.pages.set("/", page("Start", "Start."));
  site.pages.set("/a", page("A", "Text of A."));
  const listed = [...excluded, "/a", "/b"].map((path) => site.url + path);
  site.pages.set("/sitemap.xml", sitemap(listed));
  const { pages, error } = await sources.read(site.url, { maxPages: 3 });
  expect([pages.read, error]).toEqual([3, null]);
});

it("a sync keeps its version of a page that responds with 304 to an unconditional request", async () => {
  site.pages.set("/", page("Start", "Start.", ["/cached"]));
  site.pages.set("/cached", { status: 304 });
  const { id } = await sources.read(site.url);
  expect(await sources.pages(id)).toEqual(["/ read", "/cached failed"]);
  expect(await sources.documents(id)).toEqual(["/: Start"]);
});

it("a preview requests no page that robots.txt excludes, not even as the target of a redirect", async () => {
  const other = await startSite({
    "/robots.txt": "User-agent: *\nDisallow: /hidden",
    "/hidden": page("Hidden", "Hidden."),
  });
  site.pages.set("/robots.txt", "User-agent: *\nDisallow: /private");
  site.pages.set("/private", page("Private", "Private."));
  site.pages.set("/to-private", { status: 302, headers: { location: "/private" } });
  site.pages.set("/to-other", { status: 302, headers: { location: `${other.url}/hidden` } });
  site.pages.set("/", page("Start", "Start.", ["/to-private", "/a"]));
  site.pages.set("/a", page("A", "Text of A."));
  const preview = (path: string) => client.account.call("POST", "/sources/preview", { url: site.url + path });
  for (const [path, reason] of [
    ["/private", `${site.url}/robots.txt does not allow`],
    ["/to-private", "/private, which robots.txt excludes"],
    ["/to-other", `${other.url}/robots.txt does not allow`],
  ] as const) {
    const { status, body } = await preview(path);
    expect([status, body.error.message]).toEqual([400, expect.stringContaining(reason)]);
  }
  expect(await preview("/")).toMatchObject({ status: 200, body: { pages: [`${site.url}/`, `${site.url}/a`] } });
  const requested = [...site.requests, ...other.requests].map(({ path }) => path);
  expect(requested).not.toContain("/private");
  expect(requested).not.toContain("/hidden");
  await other.stop();
});

it("previews of slow sites by one organization do not block those of others", async () => {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  site.pages.set("/slow", (_, response) => void isReleased.then(() => response.end("Late.")));
  site.pages.set("/", page("Start", "Start."));
  const other = await startSite({ "/": page("Start", "Start.") });
  const preview = { url: `${site.url}/slow` };
  const call = () => client.account.call("POST", "/sources/preview", preview);
  const slow = [call(), call()];
  const third = await call();
  expect(third).toMatchObject({ status: 503, body: { error: { code: "OVERLOADED" } } });
  const stranger = await client.server.createAccount();
  expect((await stranger.call("POST", "/sources/preview", { url: other.url })).status).toBe(200);
  release();
  await Promise.all(slow);
  await other.stop();
});

it("a preview ends, with the request that it is waiting for, when its client disconnects", async () => {
  const asked = Promise.withResolvers<ServerResponse>();
  site.pages.set("/never", (_, response) => asked.resolve(response));
  const leaving = new AbortController();
  const { server, account } = client;
  const preview = fetch(`${server.url}/sources/preview`, {
    method: "POST",
    headers: { ...account.headers, "content-type": "application/json" },
    body: JSON.stringify({ url: `${site.url}/never` }),
    signal: leaving.signal,
  });
  const closed = once(await asked.promise, "close");
  leaving.abort();
  await expect(preview).rejects.toThrow("aborted");
  await closed;
});

it("an interrupted sync continues without reading or adding a page twice", async () => {
  site.pages.set("/", page("Start", "Start.", ["/a", "/b", "/c"]));
  for (const name of ["a", "c"]) site.pages.set(`/${name}`, page(name, `Text of ${name}.`));
  const requested = Promise.withResolvers<ServerResponse>();
  site.pages.set("/b", (_, response) => requested.resolve(response));
  const id = await sources.add(site.url);
  const response = await requested.promise;
  // Simulates a crash. Another process takes over, because the lease of this process expires while it waits for the
  // page.
  site.pages.set("/b", page("b", "Text of b."));
  const { db } = client.server.deps;
  await db
    .updateTable("sources")
    .set((set) => ({ dueAt: 0, fence: set("fence", "+", 1) }))
    .where("id", "=", id)
    .execute();
  response.end();
  expect(await sources.settled(id)).toMatchObject({ error: null, pages: { read: 4, pending: 0 } });
  expect(await sources.documents(id)).toEqual(["/: Start", "/a: a", "/b: b", "/c: c"]);
  const asked = site.take().filter((request) => request.endsWith(" 200"));
  expect(asked.sort()).toEqual(["/ 200", "/a 200", "/b 200", "/b 200", "/c 200"]);
});
