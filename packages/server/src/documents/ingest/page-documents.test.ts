import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type DocumentClient, openDocuments } from "../../../../../test/document-client.ts";
import { startHttpServer } from "../../../../../test/outbound-servers.ts";

let client: DocumentClient;
beforeAll(async () => {
  client = await openDocuments();
});
afterAll(() => client.server.stop());

const page = "<!doctype html><title>Opening hours</title><main><h1>Hours</h1><p>Open from 9 to 18.</p></main>";
const add = async (url: string) => {
  const { status, body } = await client.create({ kind: "page", url });
  expect(status, JSON.stringify(body)).toBe(202);
  return body.id;
};

it("a page that is added as a document is fetched with its redirects, and its title is used", async () => {
  const { url } = await startHttpServer((request, response) => {
    if (request.url === "/old") return response.writeHead(302, { location: "/new" }).end();
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(page));
  });
  const id = await add(`${url}/old#part`);
  expect(await client.settled(id)).toMatchObject({
    state: "ready",
    kind: "page",
    title: "Opening hours",
    url: `${url}/old`,
  });
  expect(await client.textOf(id)).toBe("# Hours\n\nOpen from 9 to 18.");
});

it("a page and an upload are decoded in the encoding that only the HTTP header names", async () => {
  const cyrillic = Buffer.from("\xcf\xf0\xee\xea\xe0\xf2", "latin1");
  const headers = { "content-type": "text/html; charset=windows-1251" };
  const { url } = await startHttpServer((_, response) => response.writeHead(200, headers).end(cyrillic));
  const fetched = await client.settled(await add(url));
  expect(await client.textOf(fetched.id)).toBe("Прокат");
  const uploaded = await client.upload(cyrillic, "rental.txt", "&externalKey=rental", headers);
  expect(await client.textOf((await client.settled(uploaded.body.id)).id)).toBe("Прокат");
});

it("a page is read again on retry, and its text is replaced", async () => {
  let text = "Open from 9 to 18.";
  const { url } = await startHttpServer((_, response) => response.end(`<!doctype html><main><p>${text}</p></main>`));
  const id = await add(url);
  await client.settled(id);
  text = "Closed on Mondays.";
  expect((await client.account.call("POST", `/documents/${id}/retry`)).status).toBe(202);
  await client.settled(id);
  expect(await client.textOf(id)).toBe("Closed on Mondays.");
});

it("a page keeps the title that a member gave it until the member removes the title", async () => {
  let title = "Opening hours";
  const { url } = await startHttpServer((_, response) =>
    response.end(`<!doctype html><title>${title}</title><main><p>Open from 9 to 18.</p></main>`),
  );
  const id = await add(url);
  await client.settled(id);
  title = "Hours";
  await client.account.call("POST", `/documents/${id}/retry`);
  expect(await client.settled(id)).toMatchObject({ title: "Hours" });
  await client.account.call("PUT", `/documents/${id}`, { title: "When we are open" });
  expect(await client.settled(id)).toMatchObject({ title: "When we are open" });
  await client.account.call("POST", `/documents/${id}/retry`);
  expect(await client.settled(id)).toMatchObject({ title: "When we are open" });
  await client.account.call("PUT", `/documents/${id}`, { title: null });
  expect(await client.settled(id)).toMatchObject({ title: "Hours" });
});

it("a page that cannot be read gets a reason, and is retried if the problem may be temporary", async () => {
  const { url } = await startHttpServer((request, response) => {
    if (request.url === "/bomb") {
      return response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(30 * 1024 * 1024)));
    }
    if (request.url === "/empty") return response.end("<!doctype html><body><script>app()</script></body>");
    response.writeHead(404).end();
  });
  expect((await client.settled(await add(`${url}/bomb`))).error?.code).toBe("TOO_LARGE");
  expect((await client.settled(await add(`${url}/empty`))).error?.code).toBe("NO_TEXT");
  const missing = await add(`${url}/missing`);
  const attempts = async () => {
    const row = await client.server.deps.db
      .selectFrom("documentJobs")
      .innerJoin("documents", "documents.id", "documentJobs.documentId")
      .select(["attempts", "state"])
      .where("documentId", "=", missing)
      .executeTakeFirst();
    return [row?.attempts, row?.state];
  };
  await expect.poll(attempts).toEqual([1, "queued"]);
});

it.each(["ftp://example.com/a", "javascript:alert(1)", "not a url", "http://169.254.169.254/latest"])(
  "a page cannot be added with %s as its address",
  async (url) => {
    expect(await client.create({ kind: "page", url })).toMatchObject({
      status: 400,
      body: { error: { details: [{ path: "url" }] } },
    });
  },
);

it("a page's redirect to a forbidden address is not followed", async () => {
  const { url } = await startHttpServer((_, response) =>
    response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
  );
  const id = await add(url);
  const seen = async () => (await client.get(id)).state;
  await expect.poll(seen).toBe("queued");
  expect(await client.textOf(id)).toBe("");
});
