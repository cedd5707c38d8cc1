import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type TestServer } from "../../../../../test/server.ts";

const proxy = "10.0.0.1";
const visitor = "203.0.113.9";
const PROXIED = { FOYER_TRUST_PROXY: "10.0.0.0/8", BASE_URL: "https://chat.example.com" };

type Sent = { remoteAddress: string; forwardedFor?: string; country: string };

describe.each([
  {
    what: "with a country header",
    env: { ...PROXIED, FOYER_COUNTRY_HEADER: "CF-IPCountry" },
    cases: [
      ["the operator's proxy", { remoteAddress: proxy, forwardedFor: visitor, country: "de" }, "DE"],
      ["a proxy that does not know it", { remoteAddress: proxy, forwardedFor: visitor, country: "XX" }, null],
      ["a proxy that sends no code", { remoteAddress: proxy, forwardedFor: visitor, country: "Germany" }, null],
      ["the visitor, who bypasses the proxy", { remoteAddress: visitor, country: "DE" }, null],
      [
        "the visitor, who claims to be forwarded",
        { remoteAddress: visitor, forwardedFor: "198.51.100.7", country: "DE" },
        null,
      ],
      ["a host of the proxy's network", { remoteAddress: proxy, country: "DE" }, null],
    ] as Array<[string, Sent, string | null]>,
  },
  {
    what: "without a country header",
    env: PROXIED,
    cases: [["the operator's proxy", { remoteAddress: proxy, forwardedFor: visitor, country: "DE" }, null]] as Array<
      [string, Sent, string | null]
    >,
  },
])("A server $what", ({ env, cases }) => {
  let server: TestServer;
  let account: Awaited<ReturnType<TestServer["createAccount"]>>;
  let agentId: string;
  beforeAll(async () => {
    server = await startServer({ env });
    account = await server.createAccount();
    agentId = (await account.call("POST", "/agents", { name: "Harbour" })).body.data.id;
  });
  afterAll(() => server.stop());

  it.each(cases)(
    "reads the country from %s as expected",
    async (_, { remoteAddress, forwardedFor, country }, expected) => {
      const response = await server.app.inject({
        method: "POST",
        url: "/chat",
        remoteAddress,
        headers: { "cf-ipcountry": country, ...(forwardedFor ? { "x-forwarded-for": forwardedFor } : {}) },
        payload: { agentId, messages: [{ role: "user", content: "Hello" }], context: { language: "de" } },
      });
      expect(response.statusCode).toBe(200);
      const { body } = await account.call("GET", `/conversations?agentId=${agentId}&limit=1`);
      expect(body.data[0].context).toMatchObject({ language: "de", country: expected });
    },
  );
});
