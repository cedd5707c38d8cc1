import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";

describe("the dashboard's files", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  const get = (url: string, headers = {}) => server.app.inject({ method: "GET", url, headers });

  it("are one page for every URL, with a unique nonce in its policy", async () => {
    const nonces = new Set<string>();
    for (const url of ["/dashboard", "/dashboard/", "/dashboard/agents/agent_1/tools", "/dashboard/no/such/page"]) {
      const { statusCode, headers, body } = await get(url);
      expect([url, statusCode, headers["content-type"]]).toEqual([url, 200, "text/html; charset=utf-8"]);
      expect(headers["cache-control"]).toBe("no-store");
      const [, nonce = ""] = /nonce="([^"]+)"/.exec(body) ?? [];
      nonces.add(nonce);
      expect(headers["content-security-policy"]).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; font-src 'self'; connect-src 'self'; img-src 'self' data: blob: https:; frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
      );
      expect(body).not.toMatch(/<style|<script(?! type="module" crossorigin src="\/dashboard\/assets\/)| on[a-z]+=/);
    }
    expect(nonces.size).toBe(4);
    expect([...nonces].every((nonce) => nonce.length === 24)).toBe(true);
  });

  it("are served compressed and cached forever", async () => {
    const { body } = await get("/dashboard");
    const names = [...body.matchAll(/"(\/dashboard\/assets\/[^"]+)"/g)].map((match) => match[1] ?? "");
    expect(names.length).toBeGreaterThan(1);
    for (const name of names) {
      const { statusCode, headers, rawPayload } = await get(name, { "accept-encoding": "gzip, br" });
      expect([name, statusCode, headers["content-encoding"]]).toEqual([name, 200, "br"]);
      expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      const again = await get(name, { "accept-encoding": "gzip, br", "if-none-match": headers.etag });
      expect([again.statusCode, rawPayload.length > 0]).toEqual([304, true]);
    }
  });

  it("are complete", async () => {
    const assets = new URL("../../../dashboard/dist/assets/", import.meta.url);
    const names = readdirSync(assets).filter((name) => !/\.(br|gz)$/.test(name));
    expect(names.length).toBeGreaterThan(30);
    const missing = [];
    for (const name of names) if ((await get(`/dashboard/assets/${name}`)).statusCode !== 200) missing.push(name);
    expect(missing).toEqual([]);
  });

  it("are exactly the built ones", async () => {
    for (const name of ["none.js", "..%2Findex.html", "..%2fbuild.json", "%2e%2e%2f%2e%2e%2fpackage.json", "a.js.br"]) {
      expect([name, (await get(`/dashboard/assets/${name}`)).statusCode]).toEqual([name, 404]);
    }
  });
});
