import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAgent } from "../../../../test/factories.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";

const hostile = `</script><img src=x onerror="alert(1)">'&{{id}}`;

describe("pages", () => {
  let server: TestServer;
  let owner: Awaited<ReturnType<TestServer["createAccount"]>>;
  beforeAll(async () => {
    server = await startServer();
    owner = await server.createAccount();
  });
  afterAll(() => server.stop());

  const get = (url: string, headers = {}) => server.app.inject({ method: "GET", url, headers });

  it("show only the agent's public name, as text", async () => {
    const id = await createAgent(owner, {
      name: hostile,
      systemPrompt: "The secret discount is 12 %.",
      widget: { greeting: hostile, suggestions: [hostile] },
      allowedOrigins: ["https://shop.example"],
    });
    const { statusCode, headers, body } = await get(`/demo/${id}`);
    expect(statusCode).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(body).not.toContain("<img");
    expect(body).toContain("&lt;/script&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&#39;&amp;{{id}}");
    expect(body).not.toMatch(/secret discount|shop\.example|foyer\/demo|org_/);
  });

  it("have a policy that allows nothing inline, and comply with it", async () => {
    const id = await createAgent(owner, { name: "Harbour" });
    const withImages = await createAgent(owner, { name: "Harbour", allowedImageHosts: ["images.shop.example"] });
    const pages = [
      ["/demo/nothing", ""],
      ["/preview/nothing", ""],
      [`/preview/${id}`, " https:"],
      // Without allowed hosts, an agent shows images of any host, as its owner mapped them.
      [`/demo/${id}`, " https:"],
      [`/conversation/${id}`, " https:"],
      [`/demo/${withImages}`, " https://images.shop.example"],
    ];
    for (const [url = "", images] of pages) {
      const { headers, body } = await get(url);
      expect(headers["content-security-policy"]).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:${images}; base-uri 'none'; form-action 'self'; frame-ancestors 'self'`,
      );
      expect(body).not.toMatch(
        /<style|<script(?! type="module" src="\/pages\/| src="\/widget\.js" data-agent-id="agent_\w+" data-open async>)| style=| on[a-z]+=/,
      );
    }
  });

  it("load only files that exist", async () => {
    const id = await createAgent(owner, { name: "Harbour" });
    const { body } = await get(`/demo/${id}`);
    const seen = new Set<string>();
    const waiting = [...body.matchAll(/"(\/pages\/[\w.-]+)"/g)].map((match) => match[1] ?? "");
    for (let url = waiting.pop(); url; url = waiting.pop()) {
      if (seen.has(url)) continue;
      seen.add(url);
      const file = await get(url);
      expect([url, file.statusCode]).toEqual([url, 200]);
      for (const [, name] of file.body.matchAll(/from "\.\/([\w.-]+)"/g)) waiting.push(`/pages/${name}`);
    }
    expect(seen.size).toBe(4);
  });

  it("show a conversation that an email leads to without the embed code", async () => {
    const id = await createAgent(owner, { name: "Harbour Bikes" });
    const { statusCode, body } = await get(`/conversation/${id}`);
    expect(statusCode).toBe(200);
    expect(body).toContain("<h1>Your conversation with Harbour Bikes</h1>");
    expect(body).not.toMatch(/your site|&lt;script/);
  });

  it("preview an agent's widget without text from the URL", async () => {
    const id = await createAgent(owner, { name: hostile, systemPrompt: "The secret discount is 12 %." });
    const { statusCode, headers, body } = await get(`/preview/${id}?name=%3Cimg%20src%3Dx%3E&widget=%3Cimg%3E`);
    expect([statusCode, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(body).toContain(`data-agent-id="${id}"`);
    expect(body).not.toMatch(/<img|secret discount|org_/);
    const files = [...body.matchAll(/"(\/pages\/[\w.-]+)"/g)].map((match) => match[1] ?? "");
    for (const file of files) expect([file, (await get(file)).statusCode]).toEqual([file, 200]);
    expect(files.length).toBe(3);
    const missing = await get("/preview/agent_00000000000000000000000000");
    expect(missing.statusCode).toBe(404);
  });

  it("serve a file again only after it changed", async () => {
    const first = await get("/pages/demo.js");
    expect(first.headers["content-type"]).toBe("text/javascript; charset=utf-8");
    const again = await get("/pages/demo.js", { "if-none-match": first.headers.etag });
    expect([again.statusCode, again.body]).toEqual([304, ""]);
  });

  it("respond to an unknown agent with a friendly page, and 404 for private files", async () => {
    const page = await get("/demo/agent_00000000000000000000000000");
    expect([page.statusCode, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.body).toContain("There is no agent at this address");
    for (const name of ["demo.html", "..%2Fpage-files.ts", "%2e%2e%2fpage-routes.ts", "none.js", "__proto__"]) {
      expect([name, (await get(`/pages/${name}`)).statusCode]).toEqual([name, 404]);
    }
  });
});
