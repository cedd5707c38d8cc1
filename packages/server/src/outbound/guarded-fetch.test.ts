import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openOutbound, startHttpServer, waitForClose, waitForNextTurn } from "../../../../test/outbound-servers.ts";

const bomb = gzipSync(Buffer.alloc(50_000_000));

describe("the guarded fetch", () => {
  it("follows the standard for text, JSON, forms, bytes and Request objects", async () => {
    const { url } = await startHttpServer(async (request, response) => {
      const sent = Buffer.concat(await request.toArray()).toString();
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.writeHead(request.method === "POST" ? 201 : 200, { "content-type": "application/json" });
      const { "content-type": type, "x-tool": tool, "accept-encoding": encoding } = request.headers;
      response.end(JSON.stringify({ method: request.method, path: request.url, type, tool, encoding, sent }));
    });
    const fetch = openOutbound({ allowPrivate: true }).fetch({ trust: "untrusted", organizationId: null });

    const got = await fetch(new URL(`${url}/a?b=c`), { headers: new Headers({ "x-tool": "1" }) });
    expect(got).toBeInstanceOf(Response);
    expect(got.ok).toBe(true);
    expect(got.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect(await got.json()).toEqual({ method: "GET", path: "/a?b=c", tool: "1", encoding: "identity", sent: "" });

    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"ü":1}' };
    const posted = await fetch(url, init);
    expect(posted.status).toBe(201);
    expect(await posted.json()).toMatchObject({ method: "POST", type: "application/json", sent: '{"ü":1}' });
    expect(await (await fetch(new Request(url, init))).json()).toMatchObject({ method: "POST", sent: '{"ü":1}' });

    const form = await fetch(url, { method: "POST", body: new URLSearchParams({ a: "b c" }) });
    expect(await form.json()).toMatchObject({ sent: "a=b+c", type: "application/x-www-form-urlencoded;charset=UTF-8" });
    const bytes = await fetch(url, { method: "PUT", body: new TextEncoder().encode("bytes") });
    expect(await bytes.json()).toMatchObject({ method: "PUT", sent: "bytes" });
    const parts = new FormData();
    parts.set("file", new Blob(["content"]), "name.txt");
    const multipart = await (await fetch(url, { method: "POST", body: parts })).json();
    expect(multipart.type).toContain("multipart/form-data; boundary=");
    expect(multipart.sent).toContain("content");
  });

  it("supports responses without a body", async () => {
    const { url, seen } = await startHttpServer((_request, response) => response.writeHead(204).end());
    const fetch = openOutbound({ allowPrivate: true }).fetch({ trust: "operator", organizationId: null });
    for (const method of ["GET", "DELETE"]) {
      const response = await fetch(url, { method });
      expect([response.status, response.body]).toEqual([204, null]);
      await waitForNextTurn();
    }
    expect(seen.connections).toBe(1);
  });

  it.each(["gzip", "br", "deflate", "zstd", "gzip, gzip"])("never decompresses a bomb (%s)", async (encoding) => {
    let closed: Promise<unknown> | undefined;
    const { url } = await startHttpServer((request, response) => {
      closed = waitForClose(request.socket);
      response.writeHead(200, { "content-encoding": encoding }).write(bomb);
    });
    const fetch = openOutbound({ allowPrivate: true }).fetch({ trust: "untrusted", organizationId: null });
    await expect(fetch(url, { headers: { "Accept-Encoding": "gzip" } })).rejects.toThrow(
      `The server sent a compressed response (${encoding}), which the request did not accept.`,
    );
    await closed;
  });

  it("refuses an invalid status", async () => {
    const { url } = await startHttpServer((_request, response) => response.writeHead(999).end());
    const fetch = openOutbound({ allowPrivate: true }).fetch({ trust: "untrusted", organizationId: null });
    await expect(fetch(url)).rejects.toThrow("unknown status code 999");
  });

  it("closes the connection when aborted before or during the body, or when the reader cancels", async () => {
    const closed: Promise<unknown>[] = [];
    const arrived = Promise.withResolvers<void>();
    const { url } = await startHttpServer((request, response) => {
      closed.push(waitForClose(request.socket));
      if (request.url === "/body") response.write("first");
      else arrived.resolve();
    });
    const fetch = openOutbound({ allowPrivate: true }).fetch({ trust: "untrusted", organizationId: null });
    const reason = new Error("visitor gone");

    const early = new AbortController();
    const waiting = fetch(url, { signal: early.signal });
    await arrived.promise;
    early.abort(reason);
    await expect(waiting).rejects.toBe(reason);

    const late = new AbortController();
    const reader = (await fetch(`${url}/body`, { signal: late.signal })).body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe("first");
    late.abort(reason);
    await expect(reader?.read()).rejects.toBe(reason);

    const request = new AbortController();
    const fromRequest = await fetch(new Request(`${url}/body`, { signal: request.signal }));
    request.abort(reason);
    await expect(fromRequest.text()).rejects.toThrow("visitor gone");

    await (await fetch(`${url}/body`)).body?.cancel();
    await Promise.all(closed);
    expect(closed).toHaveLength(4);
  });
});
