import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { type DocumentClient, openDocuments } from "../../../../../test/document-client.ts";
import { createAgent } from "../../../../../test/factories.ts";
import { createSourceClient, type SourceClient } from "../../../../../test/site-client.ts";
import { page, type SiteServer, sitemap, startSite } from "../../../../../test/site-server.ts";

onBothDatabases("the site crawler", (createDatabase) => {
  let database: TestDatabase;
  let client: DocumentClient;
  let sources: SourceClient;
  let site: SiteServer;
  beforeAll(async () => {
    database = await createDatabase();
    client = await openDocuments({ database });
    sources = createSourceClient(client);
  });
  afterAll(async () => {
    await client.server.stop();
    await database.drop();
  });
  beforeEach(async () => {
    site = await startSite({
      "/": page("Harbour Bikes", "Bikes for the whole family.", ["/help", "/prices#top"]),
      "/help": page("Help", "We repair bikes on Tuesdays."),
      "/prices": page("Prices", "A city bike costs 20 euros a day."),
    });
  });
  afterEach(() => site.stop());
  const call = (...input: Parameters<DocumentClient["account"]["call"]>) => client.account.call(...input);

  it("follows links when there is no sitemap, and turns pages into documents that searches find", async () => {
    const source = await sources.read(site.url);
    expect(source).toMatchObject({
      url: `${site.url}/`,
      state: "idle",
      error: null,
      urls: null,
      pages: { read: 3, pending: 0, skipped: 0, missing: 0, failed: 0 },
      lastSyncAt: expect.any(String),
      nextSyncAt: null,
    });
    expect(await sources.documents(source.id)).toEqual(["/: Harbour Bikes", "/help: Help", "/prices: Prices"]);
    const search = { agentId: client.agentId, query: "When do you repair bikes?" };
    const { hits } = (await call("POST", "/documents/search", search)).body;
    expect(hits.map(({ url }: { url: string }) => url)).toContain(`${site.url}/help`);
    expect(site.requests[0]?.headers["user-agent"]).toMatch(/^FoyerBot\//);
    expect(site.seen.mostAtOnce).toBe(1);
  });

  it("finds the phone number in the footer of the start page, also when that page redirects and changes only it", async () => {
    const footer = (phone: string) => `<footer><p>Call ${phone}</p></footer></body>`;
    const withFooter = (phone: string) => page("Start", "Welcome.", ["/help"]).replace("</body>", footer(phone));
    site.pages.set("/", { status: 302, headers: { location: "/en" } });
    site.pages.set("/en", withFooter("0421 555 0123"));
    const source = await sources.read(site.url);
    const findPhone = async () => {
      await sources.documents(source.id);
      const query = { agentId: client.agentId, query: "What phone number can I call?" };
      const { hits } = (await call("POST", "/documents/search", query)).body;
      return hits.map(({ text }: { text: string }) => /Call (.*)/.exec(text)?.[1]).filter(Boolean);
    };
    expect(await findPhone()).toEqual(["0421 555 0123"]);
    site.pages.set("/en", withFooter("0421 555 0199"));
    await sources.sync(source.id);
    expect(await findPhone()).toEqual(["0421 555 0199"]);
  });

  it.each(["/sitemap_index.xml", "/wp-sitemap.xml"])(
    "finds the sitemap %s that robots.txt does not name",
    async (name) => {
      site.pages.set("/unlinked", page("Unlinked", "Only the sitemap knows this page."));
      site.pages.set(name, sitemap([`${site.url}/unlinked`]));
      const { id } = await sources.read(site.url);
      expect(await sources.documents(id)).toContain("/unlinked: Unlinked");
    },
  );

  it("reads a page with a doubled media type and 18 KB of headers, and follows the areas of its image map", async () => {
    const cookies = Array.from({ length: 60 }, (_, index) => `c${index}=${"x".repeat(300)}`);
    site.pages.set("/", (_: IncomingMessage, response: ServerResponse) => {
      response.setHeader("set-cookie", cookies);
      response.writeHead(200, { "content-type": "text/html, text/html; charset=iso-8859-1" });
      response.end(Buffer.from('<title>K\xf6ln</title><p>K\xf6ln bikes</p><map><area href="/help"></map>', "latin1"));
    });
    const { id } = await sources.read(site.url);
    expect(await sources.documents(id)).toEqual(["/: Köln", "/help: Help"]);
  });

  it("sends conditional requests, replaces changed pages, and does not process unchanged ones again", async () => {
    const { id } = await sources.read(site.url);
    await sources.documents(id);
    const updatedAt = async () =>
      Object.fromEntries(
        (await call("GET", `/documents?sourceId=${id}`)).body.documents.map(
          (document: { url: string; updatedAt: string }) => [new URL(document.url).pathname, document.updatedAt],
        ),
      );
    const before = await updatedAt();
    site.take();
    site.pages.set("/prices", page("Prices", "A city bike costs 25 euros a day."));
    // The bytes differ, but the text does not.
    site.pages.set("/help", page("Help", "We repair bikes on Tuesdays.").replace("<body>", '<body data-build="2">'));
    await sources.sync(id);
    await sources.documents(id);
    const read = ["/ 304", "/help 200", "/prices 200"];
    expect(
      site
        .take()
        .filter((request) => !request.endsWith("404"))
        .sort(),
    ).toEqual(read);
    const after = await updatedAt();
    expect(after["/"]).toBe(before["/"]);
    expect(after["/help"]).toBe(before["/help"]);
    expect(after["/prices"]).not.toBe(before["/prices"]);
    const { documents } = (await call("GET", `/documents?sourceId=${id}&q=prices`)).body;
    expect(await client.textOf(documents[0].id)).toContain("25 euros");
  });

  it("decodes a page in the encoding that only its HTTP header names, even when it has not changed since", async () => {
    const headers = { "content-type": "text/html; charset=windows-1251", etag: '"1"' };
    const rental = "\xcf\xf0\xee\xea\xe0\xf2";
    const body = Buffer.from(`<!doctype html><title>${rental}</title><a href="/${rental}">More</a>`, "latin1");
    site.pages.set("/", (request: IncomingMessage, response: ServerResponse) =>
      request.headers["if-none-match"] ? response.writeHead(304).end() : response.writeHead(200, headers).end(body),
    );
    const linked = encodeURI("/Прокат");
    site.pages.set(linked, page("City bikes", "A city bike costs 20 euros a day."));
    const { id } = await sources.read(site.url);
    expect(await sources.documents(id)).toEqual([`${linked}: City bikes`, "/: Прокат"]);
    site.take();
    await sources.sync(id);
    expect(
      site
        .take()
        .filter((request) => !request.endsWith("404"))
        .sort(),
    ).toEqual([`${linked} 304`, "/ 304"].sort());
  });

  it("keeps the title that a member gave to a page, and takes over the new titles of other pages", async () => {
    const { id } = await sources.read(site.url);
    await sources.documents(id);
    const { documents } = (await call("GET", `/documents?sourceId=${id}&q=prices`)).body;
    await call("PUT", `/documents/${documents[0].id}`, { title: "What bikes cost" });
    await sources.documents(id);
    site.pages.set("/prices", page("Price list", "A city bike costs 25 euros a day."));
    site.pages.set("/help", page("Support", "We repair bikes on Fridays."));
    await sources.sync(id);
    expect(await sources.documents(id)).toEqual(["/: Harbour Bikes", "/help: Support", "/prices: What bikes cost"]);
  });

  it("removes pages that are gone or no longer found after the second sync", async () => {
    site.pages.set("/old", page("Old", "An old page."));
    site.pages.set("/", page("Harbour Bikes", "Bikes.", ["/help", "/prices", "/old"]));
    const { id } = await sources.read(site.url);
    site.pages.delete("/help");
    site.pages.set("/", page("Harbour Bikes", "Bikes.", ["/help", "/prices"]));
    expect((await sources.sync(id)).pages).toMatchObject({ read: 3, missing: 1 });
    expect(await sources.documents(id)).toHaveLength(4);
    await sources.sync(id);
    expect(await sources.documents(id)).toEqual(["/: Harbour Bikes", "/prices: Prices"]);
    expect(await sources.pages(id)).toEqual(["/ read", "/prices read"]);
  });

  it("removes no pages while the site is down, whatever it responds", async () => {
    const { id } = await sources.read(site.url);
    for (const status of [503, 404]) {
      for (const path of ["/", "/help", "/prices"]) site.pages.set(path, { status });
      for (let time = 0; time < 2; time++) {
        expect((await sources.sync(id)).error).toMatchObject({ code: "NOT_REACHABLE" });
      }
    }
    site.pages.set("/robots.txt", { status: 503 });
    const down = await sources.sync(id);
    expect(down.error?.code).toBe("NOT_REACHABLE");
    expect(down.error?.message).toContain("/robots.txt responded with HTTP 503");
    expect(await sources.documents(id)).toHaveLength(3);
  });

  it("removes nothing while the site serves the same page at every URL, and reports this", async () => {
    const { id } = await sources.read(site.url);
    const paths = ["/", "/help", "/prices"];
    const usual = paths.map((path) => [path, site.pages.get(path) ?? ""] as const);
    const maintenance = page("Back soon", "We are improving our site. Please come back later.", paths);
    for (const path of paths) site.pages.set(path, maintenance);
    for (let time = 0; time < 3; time++) {
      expect((await sources.sync(id)).error).toMatchObject({
        code: "INCONCLUSIVE",
        message: expect.stringContaining("2 of 3 pages can no longer be used for the same reason"),
      });
    }
    expect(await sources.documents(id)).toEqual(["/: Back soon", "/help: Help", "/prices: Prices"]);
    for (const [path, content] of usual) site.pages.set(path, content);
    expect(await sources.sync(id)).toMatchObject({ error: null, pages: { read: 3, skipped: 0 } });
    expect(await sources.documents(id)).toEqual(["/: Harbour Bikes", "/help: Help", "/prices: Prices"]);
  });

  it("removes nothing while such a page, or a redirect to it, hides the links to all others", async () => {
    const { id } = await sources.read(site.url);
    const maintenance = page("Back soon", "We are improving our site.");
    site.pages.set("/", maintenance);
    site.pages.set("/help", maintenance);
    site.pages.set("/prices", { status: 302, headers: { location: "/" } });
    for (let time = 0; time < 3; time++) {
      expect((await sources.sync(id)).error).toMatchObject({
        code: "INCONCLUSIVE",
        message: expect.stringContaining("2 of 3 pages are no longer linked"),
      });
    }
    expect(await sources.documents(id)).toHaveLength(3);
    // A missing page shows that the site was changed deliberately.
    site.pages.delete("/help");
    for (let time = 0; time < 2; time++) expect((await sources.sync(id)).error).toBeNull();
    expect(await sources.documents(id)).toEqual(["/: Back soon"]);
  });

  it("reads exactly the chosen pages, and drops those that are no longer chosen with the next sync", async () => {
    const { id } = await sources.read(site.url, { urls: [`${site.url}/help`, `${site.url}/prices?utm_source=x`] });
    expect(await sources.documents(id)).toEqual(["/help: Help", "/prices: Prices"]);
    const changed = await call("PUT", `/sources/${id}`, { urls: null, exclude: ["/prices"] });
    expect(changed).toMatchObject({ status: 200, body: { state: "queued", urls: null, exclude: ["/prices"] } });
    await sources.settled(id);
    expect(await sources.documents(id)).toEqual(["/: Harbour Bikes", "/help: Help"]);
  });

  it("lists the pages of nested and compressed sitemaps in a preview, without adding any", async () => {
    const { gzipSync } = await import("node:zlib");
    site.pages.set("/robots.txt", `User-agent: *\nDisallow: /private\nSitemap: ${site.url}/index.xml`);
    site.pages.set(
      "/index.xml",
      `<sitemapindex><sitemap><loc>${site.url}/a.xml.gz</loc></sitemap><sitemap><loc>${site.url}/b.xml</loc></sitemap></sitemapindex>`,
    );
    const compressed = gzipSync(sitemap([`${site.url}/help`, `${site.url}/private/x`, "https://elsewhere.example/"]));
    site.pages.set("/a.xml.gz", { body: compressed, headers: { "content-type": "application/gzip" } });
    site.pages.set("/b.xml", sitemap([`${site.url}/prices`, `${site.url}/blog/1`]));
    const { status, body } = await call("POST", "/sources/preview", { url: site.url, exclude: ["/blog/**"] });
    expect([status, body]).toEqual([
      200,
      {
        url: `${site.url}/`,
        pages: [`${site.url}/help`, `${site.url}/prices`],
        disallowed: 1,
        foundIn: "sitemap",
        isComplete: true,
      },
    ]);
    expect((await call("GET", `/documents?agentId=${client.agentId}&q=blog`)).body.documents).toEqual([]);
  });

  it("follows links in a preview when there is no sitemap", async () => {
    const { body } = await call("POST", "/sources/preview", { url: `${site.url}/#start` });
    expect(body).toMatchObject({
      foundIn: "links",
      isComplete: true,
      pages: [`${site.url}/`, `${site.url}/help`, `${site.url}/prices`],
    });
  });

  it("stops a sync, keeps what was read, and reads the rest with the next one", async () => {
    const requested = Promise.withResolvers<ServerResponse>();
    site.pages.set("/help", (_, response) => requested.resolve(response));
    const id = await sources.add(site.url);
    const response = await requested.promise;
    const stopped = await call("POST", `/sources/${id}/stop`);
    expect(stopped).toMatchObject({
      status: 200,
      body: { state: "idle", nextSyncAt: null, pages: { pending: 0 }, error: { code: "STOPPED" } },
    });
    response.end(page("Help", "Late."));
    expect(await sources.documents(id)).toEqual(["/: Harbour Bikes"]);
    site.pages.set("/help", page("Help", "We repair bikes on Tuesdays."));
    await sources.sync(id);
    expect(await sources.documents(id)).toHaveLength(3);
    expect((await call("GET", `/sources/${id}`)).body.error).toBe(null);
  });

  it("deletes a source with its documents, which searches stop finding immediately", async () => {
    const { id } = await sources.read(site.url);
    await sources.documents(id);
    expect((await call("DELETE", `/sources/${id}`)).body).toEqual({ success: true });
    const search = { agentId: client.agentId, query: "repair Tuesdays" };
    const { hits } = (await call("POST", "/documents/search", search)).body;
    expect(hits.filter(({ url }: { url: string }) => url.startsWith(site.url))).toEqual([]);
    expect((await call("GET", `/sources/${id}`)).status).toBe(404);
    const rows = () => client.server.deps.db.selectFrom("sources").select("id").where("id", "=", id).execute();
    await expect.poll(rows).toEqual([]);
    expect(await sources.documents(id)).toEqual([]);
    // The same address can be added again.
    await sources.read(site.url);
  });

  it("skips pages beyond the plan's document limit and reports it", async () => {
    const free = await client.server.createAccount("free");
    const agentId = await createAgent(free);
    for (let number = 0; number < 18; number++) {
      await free.call("POST", "/documents", { agentId, kind: "text", title: `T${number}`, text: `Text ${number}` });
    }
    const own = createSourceClient({ account: free, agentId });
    const source = await own.read(site.url);
    expect(source).toMatchObject({ pages: { read: 2, skipped: 1 }, error: { code: "DOCUMENT_LIMIT_REACHED" } });
    expect(source.error?.message).toContain("20 documents");
  });

  it("keeps a page that another page names as canonical, and leaves out duplicates and noindex", async () => {
    const links = ["/a", "/b?ref=1", "/secret", "/hidden", "/copy", "/old", "/away"];
    site.pages.set("/", page("Start", "Start.", links));
    site.pages.set("/a", page("A", "Text of A."));
    const canonical = (target: string) =>
      page("A", "Text of A, too.").replace("<head>", `<head><link rel=canonical href="${target}">`);
    site.pages.set("/b?ref=1", canonical("/a"));
    site.pages.set(
      "/secret",
      page("Secret", "Secret.").replace("<head>", '<head><meta name="robots" content="noindex">'),
    );
    site.pages.set("/hidden", {
      body: page("Hidden", "H."),
      headers: { "x-robots-tag": "otherbot: nofollow, noindex" },
    });
    site.pages.set("/gone", { body: page("Gone", "Gone."), headers: { "x-robots-tag": "noindex" } });
    site.pages.set("/copy", page("A", "Text of A."));
    site.pages.set("/old", { status: 301, headers: { location: "/new" } });
    site.pages.set("/new", page("New", "The new page.", ["/gone"]));
    site.pages.set("/away", { status: 302, headers: { location: "https://elsewhere.example/" } });
    const { id } = await sources.read(site.url);
    expect(await sources.pages(id, { reasons: true })).toEqual([
      "/ read",
      "/a read",
      "/away skipped: It redirects to another site: https://elsewhere.example/.",
      `/b?ref=1 skipped: The page declares as its canonical URL ${site.url}/a.`,
      `/copy skipped: The page has the same content as ${site.url}/a.`,
      "/gone skipped: The page has a noindex rule.",
      "/hidden read",
      "/new read",
      `/old skipped: The page redirects to ${site.url}/new.`,
      "/secret skipped: The page has a noindex rule.",
    ]);
    const { body: detail } = await call("GET", `/sources/${id}`);
    expect(detail.found).toBe(10);
    expect(detail.unused[0]).toEqual({ reason: "The page has a noindex rule.", count: 2 });
    expect(detail.unused).toContainEqual({ reason: "The page redirects to another page.", count: 1 });
    site.pages.set("/new", { body: page("New", "The new page."), headers: { "x-robots-tag": "none" } });
    await sources.sync(id);
    expect(await sources.documents(id)).not.toContain("/new: New");
  });

  it("shows and changes nothing of another organization's sources", async () => {
    const id = await sources.add(site.url);
    const stranger = await client.server.createAccount();
    const foreignAgent = await createAgent(stranger);
    const answers = await Promise.all([
      stranger.call("GET", `/sources/${id}`),
      stranger.call("GET", `/sources/${id}/pages`),
      stranger.call("PUT", `/sources/${id}`, { schedule: "daily" }),
      stranger.call("DELETE", `/sources/${id}`),
      stranger.call("POST", `/sources/${id}/sync`),
      stranger.call("POST", `/sources/${id}/stop`),
      call("POST", "/sources", { agentId: foreignAgent, url: site.url }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
    expect((await stranger.call("GET", "/sources")).body).toMatchObject({ sources: [], pagination: { total: 0 } });
    expect((await stranger.call("GET", `/sources?agentId=${client.agentId}`)).body.sources).toEqual([]);
    await sources.settled(id);
    expect((await sources.get(id)).schedule).toBe("manual");
  });

  it("refuses a second source with the same address, pages of other hosts and patterns that match nothing", async () => {
    await sources.read(site.url);
    const { agentId } = client;
    const post = (input: object) => call("POST", "/sources", { agentId, ...input });
    expect((await post({ url: `${site.url}/#again` })).status).toBe(409);
    for (const [path, input] of [
      ["url", { url: "ftp://example.com" }],
      ["url", { url: "http://user:secret@example.com" }],
      ["url", { url: "http://169.254.169.254/latest" }],
      ["urls.1", { url: "https://example.com", urls: ["https://example.com/a", "https://other.example/"] }],
      ["include.0", { url: "https://example.com", include: ["help"] }],
      ["maxPages", { url: "https://example.com", maxPages: 5_001 }],
      ["schedule", { url: "https://example.com", schedule: "hourly" }],
    ] as const) {
      expect(await post(input), JSON.stringify(input)).toMatchObject({
        status: 400,
        body: { error: { details: [{ path }] } },
      });
    }
  });

  it("moves a site with pages to another host only if the request says which pages replace them", async () => {
    const { id } = await sources.read(site.url);
    const moved = await startSite({ "/": page("Moved Bikes", "The new home of our bikes.") });
    const refused = await call("PUT", `/sources/${id}`, { url: moved.url });
    expect(refused).toMatchObject({ status: 400, body: { error: { details: [{ path: "url" }] } } });
    expect(refused.body.error.message).toContain(`the 3 pages of ${new URL(site.url).host} would be deleted`);
    expect(await sources.get(id)).toMatchObject({ url: `${site.url}/`, state: "idle", pages: { read: 3 } });
    expect((await call("PUT", `/sources/${id}`, { url: `${site.url}/help` })).status).toBe(200);
    await sources.settled(id);
    expect((await call("PUT", `/sources/${id}`, { url: moved.url, urls: null })).status).toBe(200);
    await sources.settled(id);
    expect(await sources.documents(id)).toEqual(["/: Moved Bikes"]);
    await moved.stop();
  });

  it("lets the address of a site be corrected while none of its pages was found", async () => {
    const id = await sources.add("http://127.0.0.1:9/");
    expect((await sources.settled(id)).error).toMatchObject({ code: "NOT_REACHABLE" });
    expect((await call("PUT", `/sources/${id}`, { url: site.url })).status).toBe(200);
    expect(await sources.settled(id)).toMatchObject({ error: null, pages: { read: 3 } });
  });

  it("lets a site be paused although its address may no longer be read", async () => {
    const { id } = await sources.read(site.url);
    const url = "http://169.254.169.254/";
    await client.server.deps.db.updateTable("sources").set({ url }).where("id", "=", id).execute();
    expect(await call("PUT", `/sources/${id}`, { schedule: "manual" })).toMatchObject({ status: 200 });
    expect(await call("PUT", `/sources/${id}`, { url })).toMatchObject({ status: 400 });
  });

  it("schedules the next sync of a site", async () => {
    const { id } = await sources.read(site.url, { schedule: "daily" });
    const { lastSyncAt, nextSyncAt } = await sources.get(id);
    expect(Date.parse(nextSyncAt ?? "") - Date.parse(lastSyncAt ?? "")).toBe(86_400_000);
    const { db } = client.server.deps;
    site.pages.set("/help", page("Help", "Now on Fridays."));
    await db.updateTable("sources").set({ dueAt: 0 }).where("id", "=", id).execute();
    await expect.poll(async () => (await sources.get(id)).lastSyncAt).not.toBe(lastSyncAt);
    await call("PUT", `/sources/${id}`, { schedule: "manual" });
    expect((await sources.get(id)).nextSyncAt).toBeNull();
    const defaults = { url: null, include: null, exclude: null, urls: null, schedule: null, maxPages: null };
    expect(await call("PUT", `/sources/${id}`, defaults)).toMatchObject({
      status: 200,
      body: { url: `${site.url}/`, include: [], exclude: [], urls: null, schedule: "weekly", maxPages: 5_000 },
    });
  });
});
