import { describe, expect, it } from "vitest";
import { hostileAnswers, hostileLiterals, hostileUrls } from "../../../../test/hostile-addresses.ts";
import { openOutbound, startCanary, startHttpServer } from "../../../../test/outbound-servers.ts";

describe("hostile URLs", () => {
  it("reach nothing by request, stream or fetch in more than 200 spellings", async () => {
    const canary = await startCanary();
    const outbound = openOutbound({ resolve: async (name) => hostileAnswers[name] ?? [] });
    const fetch = outbound.fetch({ trust: "untrusted", organizationId: null });
    const urls = hostileUrls(canary.port);
    expect(urls.length).toBeGreaterThanOrEqual(200);

    for (const url of urls) {
      const call = { url, method: "GET", trust: "untrusted", organizationId: null } as const;
      const ways = {
        request: outbound.request({ ...call, timeoutMs: 5_000, maxBytes: 1_000 }),
        stream: outbound.stream(call),
        fetch: fetch(url),
        "fetch of a Request": Promise.resolve().then(() => fetch(new Request(url))),
      };
      for (const [way, calling] of Object.entries(ways)) {
        const outcome = await calling.then(
          () => "reached",
          (error: { kind?: string }) => error.kind ?? error,
        );
        // `Request` itself rejects user names and other schemes, with an error of its own class.
        const isRefused = outcome === "refused" || (way === "fetch of a Request" && outcome instanceof TypeError);
        expect(isRefused, `${way} of ${url}: ${outcome}`).toBe(true);
      }
    }
    expect(canary.seen.connections).toBe(0);
  });

  it("are refused on saving when they are IP literals", () => {
    const outbound = openOutbound();
    for (const literal of hostileLiterals) {
      expect(() => outbound.checkUrl(`http://${literal}/`), literal).toThrow("may not be called");
    }
  });

  it("would reach the canary without the guard", async () => {
    const canary = await startCanary();
    const outbound = openOutbound({ allowPrivate: true });
    for (const literal of ["127.0.0.1", "2130706433", "0x7f.1", "①②⑦.⓪.⓪.①"]) {
      const before = canary.seen.connections;
      const call = {
        url: `http://${literal}:${canary.port}/`,
        method: "GET",
        trust: "untrusted",
        organizationId: null,
      } as const;
      await expect(outbound.stream(call)).rejects.toMatchObject({ kind: "unreachable" });
      expect(canary.seen.connections).toBe(before + 1);
    }
  });

  it("look like an unreachable host to outsiders", async () => {
    const { port } = await startHttpServer((_request, response) => response.end());
    const outbound = openOutbound({ resolve: async () => ["10.0.0.1"], allow: ["127.0.0.1"] });
    const publicMessages = new Set<unknown>();
    // Nothing listens on port 1 of this machine.
    for (const url of [
      `http://127.0.0.2:${port}/`,
      "http://intranet.test/",
      "file:///etc/passwd",
      "http://127.0.0.1:1/",
    ]) {
      const failed = await outbound
        .stream({ url, method: "GET", trust: "untrusted", organizationId: null })
        .catch((error) => error);
      publicMessages.add(failed.publicMessage);
    }
    expect([...publicMessages]).toEqual(["Not reachable"]);
  });
});

describe("the operator's own URLs", () => {
  it("are called at any address", async () => {
    const { url } = await startHttpServer((_request, response) => response.end("hello"));
    const outbound = openOutbound();
    const call = {
      url,
      method: "GET",
      trust: "operator",
      organizationId: null,
      timeoutMs: 5_000,
      maxBytes: 100,
    } as const;
    expect((await outbound.request(call)).body.toString()).toBe("hello");
    expect(await (await outbound.fetch({ trust: "operator", organizationId: null })(url)).text()).toBe("hello");
  });
});
