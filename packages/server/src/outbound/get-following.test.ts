import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { deflateRawSync, deflateSync } from "node:zlib";
import { expect, it } from "vitest";
import { getWithRedirects } from "./get-following.ts";
import { createOutbound } from "./guarded-request.ts";

/** Fetches from a server that responds in this way, within 300 ms. */
async function fetchFromServer(respond: RequestListener) {
  const server = createServer(respond).listen(0, "127.0.0.1");
  await once(server, "listening");
  const outbound = createOutbound({ allowPrivate: true, allow: [] });
  const { port } = server.address() as AddressInfo;
  try {
    const url = `http://127.0.0.1:${port}/`;
    return await getWithRedirects(outbound, { url, organizationId: "org_one", timeoutMs: 300, maxBytes: 1_000_000 });
  } finally {
    await outbound.close();
    server.close();
  }
}

it("fetching a page times out during a response that arrives byte by byte", async () => {
  const slow = fetchFromServer((_, response) => {
    const timer = setInterval(() => response.write("x"), 20);
    response.once("close", () => clearInterval(timer));
  });
  await expect(slow).rejects.toMatchObject({ kind: "timeout", message: expect.stringContaining("within 0.3 s") });
});

it("fetching a page applies one timeout to all redirects together", async () => {
  let requests = 0;
  const slow = fetchFromServer((_, response) => {
    requests++;
    setTimeout(() => response.writeHead(302, { location: `/${requests}` }).end(), 120);
  });
  await expect(slow).rejects.toMatchObject({ kind: "timeout", message: expect.stringContaining("within 0.3 s") });
  expect(requests).toBeLessThan(5);
});

it.each(["file:///etc/passwd", "data:text/html,x", "gopher://example.com/", "javascript:alert(1)", "blob:http://a/b"])(
  "fetching a page refuses a redirect to %s",
  async (location) => {
    const redirected = fetchFromServer((_, response) => response.writeHead(302, { location }).end());
    await expect(redirected).rejects.toMatchObject({
      kind: "redirect",
      message: expect.stringContaining("which is not an http or https address"),
    });
  },
);

it("fetching a page sends back a cookie that a redirect to the same page set", async () => {
  const result = await fetchFromServer((request, response) => {
    if (request.headers.cookie === "seen=1; other=a") response.end("page");
    else response.writeHead(302, { location: request.url, "set-cookie": ["seen=1; Path=/", "other=a"] }).end();
  });
  expect(result.body.toString()).toBe("page");
});

it("fetching a page sends no cookie of a redirect to another host", async () => {
  const sent: Array<string | undefined> = [];
  await fetchFromServer((request, response) => {
    sent.push(request.headers.cookie);
    const port = request.socket.localPort;
    if (request.url === "/")
      response.writeHead(302, { location: `http://localhost:${port}/b`, "set-cookie": "a=1" }).end();
    else response.end("page");
  });
  expect(sent).toEqual([undefined, undefined]);
});

it("fetching a page reads a body that is not in the encoding that its header names", async () => {
  const result = await fetchFromServer((_, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end("<html>page");
  });
  expect(result.body.toString()).toBe("<html>page");
});

it.each([
  ["with", deflateSync("<html>page")],
  ["without", deflateRawSync("<html>page")],
])("fetching a page reads a deflated body %s the header of zlib", async (_, body) => {
  const result = await fetchFromServer((_, response) => {
    response.writeHead(200, { "content-encoding": "deflate" }).end(body);
  });
  expect(result.body.toString()).toBe("<html>page");
});
