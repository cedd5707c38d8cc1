import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createBrowser, createOwner } from "../../../../test/session-client.ts";
import { startSmtpServer } from "../../../../test/smtp-server.ts";
import { placeBelow } from "./base-path.ts";

describe("BASE_URL with a path", () => {
  const base = "https://example.com/chat";
  let server: TestServer;
  let mail: Awaited<ReturnType<typeof startSmtpServer>>;
  beforeAll(async () => {
    mail = await startSmtpServer();
    server = await startServer({ env: { BASE_URL: `${base}/`, SMTP_URL: mail.url } });
  });
  afterAll(async () => {
    await server.stop();
    await mail.close();
  });

  const get = (url: string, method: "GET" | "POST" | "OPTIONS" = "GET", headers = {}) =>
    server.app.inject({ method, url, headers });

  it.each(["/", "/chat", "/chat/", "/chat?from=mail"])("redirects %s to the dashboard below the path", async (url) => {
    expect((await get(url)).headers.location).toBe("/chat/dashboard");
  });

  it.each(["/chat", "/chat/chat"])(
    "runs the chat endpoint at %s, whether the proxy removes the path or not",
    async (url) => {
      const { error } = (await get(url, "POST", { "content-type": "application/json" })).json();
      expect(error.code).toBe("VALIDATION_ERROR");
    },
  );

  it.each(["/chat", "/chat/chat"])("answers a preflight for the chat endpoint at %s", async (url) => {
    const headers = { origin: "https://shop.example", "access-control-request-method": "POST" };
    expect((await get(url, "OPTIONS", headers)).headers["access-control-allow-origin"]).toBe("*");
  });

  it.each(["/chatter", "/chat-room/healthz", "/x/chat/healthz"])("does not remove the path from %s", async (url) => {
    expect((await get(url)).statusCode).toBe(404);
  });

  it.each([
    "/dashboard",
    "/docs",
    "/docs/chat",
    "/demo/nothing",
    "/mail-recipients/confirm?token=x",
    "/rate/conv_x?token=x",
    "/auth/verify-email?token=x",
  ])("links only to addresses below the path from the page %s", async (url) => {
    const { body } = await get(`/chat${url}`, "GET", { accept: "text/html" });
    const addresses = [...body.matchAll(/ (?:href|src|action)="(\/[^"]*)"/g)].map((match) => match[1] ?? "");
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.filter((address) => !address.startsWith("/chat/"))).toEqual([]);
  });

  it("names the path in the OpenAPI document", async () => {
    expect((await get("/chat/openapi.json")).json().servers).toEqual([{ url: base }]);
  });

  it("limits the session's cookie to the path, and names it without the prefix that forbids paths", async () => {
    const { email } = await createOwner(server);
    const { set } = await createBrowser(server).signIn(email);
    expect(set[0]).toMatch(/^__Secure-foyer_session=[^;]+; .*Path=\/chat;/);
  });

  it("sends emails with links below the path, which lead to the page that was asked for", async () => {
    const { email } = await createOwner(server);
    const browser = createBrowser(server);
    const arrived = mail.waitForMail();
    await browser.call("POST", "/auth/magic-link", { email, callbackUrl: "/dashboard/agents" });
    const { text } = await arrived;
    const [link = ""] = /https:\/\/example\.com\/chat\/auth\/magic-link\/verify\S+/.exec(text) ?? [];
    const { pathname, search } = new URL(link);
    const { headers } = await browser.call("POST", pathname + search, undefined, { origin: "https://example.com" });
    expect(headers.location).toBe(`${base}/dashboard/agents`);
  });

  it("leaves Strict-Transport-Security to the site that owns the host", async () => {
    expect((await get("/chat/healthz")).headers["strict-transport-security"]).toBeUndefined();
  });
});

it.each(["/agents", "/docs", "/dashboard", "/tools"])(
  "refuses the path %s, which is also an endpoint",
  async (path) => {
    await expect(startServer({ env: { BASE_URL: `https://example.com${path}` } })).rejects.toThrow(
      `BASE_URL: the path ${path} is also the path of a page or endpoint`,
    );
  },
);

it.each(["/a b", "/a%20b", "/<b>", "/a//b"])(
  "refuses the path %s, whose characters would not survive in a cookie",
  async (path) => {
    await expect(startServer({ env: { BASE_URL: `https://example.com${path}` } })).rejects.toThrow(
      "BASE_URL: expected",
    );
  },
);

it("changes only the addresses of attributes, and not those of other servers", () => {
  const html = `<a href="/docs" data-href="x">href="/docs"</a><img src="//cdn.example/a.png"><form action="/x">`;
  expect(placeBelow(html, "/chat")).toBe(
    `<a href="/chat/docs" data-href="x">href="/docs"</a><img src="//cdn.example/a.png"><form action="/chat/x">`,
  );
});
