import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { startDnsServer } from "../../../../test/dns-server.ts";
import { openOutbound, startHttpServer } from "../../../../test/outbound-servers.ts";
import { OutboundError, wasNeverSent } from "./outbound-error.ts";
import { createNameResolver } from "./resolve-names.ts";

type Answer = Parameters<typeof startDnsServer>[0];

const local: Awaited<ReturnType<Answer>> = [{ type: "A", data: "127.0.0.1" }];

/** Names that begin with `silent` are never answered. All others are on this machine. */
const answerMost: Answer = ({ name, type }) => (name.startsWith("silent") ? "silence" : type === "A" ? local : []);

/** Opens a resolver that uses this name server. A query is given up after a minute, which no test reaches. */
async function openResolver(answer: Answer, options: Parameters<typeof createNameResolver>[0] = {}) {
  const server = await startDnsServer(answer);
  onTestFinished(() => server.close());
  const servers = [server.address];
  const names = createNameResolver({ hostsFile: "/does-not-exist", timeoutMs: 60_000, ...options, servers });
  return { names, asked: server.asked };
}

async function writeHosts(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "foyer-hosts-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "hosts"), text);
  return join(folder, "hosts");
}

describe("names that members entered", () => {
  it("are resolved while an organization waits for hundreds of names that no server answers", async () => {
    const { names } = await openResolver(answerMost);
    const ignore = () => {};
    for (let index = 0; index < 500; index++) {
      names.resolveUntrusted(`silent${index}.test`, "org_greedy").catch(ignore);
    }
    expect(await names.resolveUntrusted("shop.test", "org_honest")).toEqual(["127.0.0.1"]);
  });

  it("wait in the queue of their organization beyond its share of the lookups", async () => {
    const { names, asked } = await openResolver(answerMost);
    const ignore = () => {};
    for (let index = 0; index < 100; index++) {
      names.resolveUntrusted(`silent${index}.test`, "org_greedy").catch(ignore);
    }
    await names.resolveUntrusted("shop.test", "org_honest");
    expect(new Set(asked.map(({ name }) => name).filter((name) => name.startsWith("silent"))).size).toBe(16);
  });

  it("beyond the queue of their organization are refused as busy, which is not remembered as a failure", async () => {
    const { names } = await openResolver(answerMost);
    const ignore = () => {};
    for (let index = 0; index < 1_016; index++) {
      names.resolveUntrusted(`silent${index}.test`, "org_greedy").catch(ignore);
    }
    const refused: unknown = await names.resolveUntrusted("shop.test", "org_greedy").catch((error) => error);
    expect(refused instanceof OutboundError && wasNeverSent(refused)).toBe(true);
    expect(await names.resolveUntrusted("shop.test", "org_honest")).toEqual(["127.0.0.1"]);
  });

  it("are not looked up again for 30 s after a failure, and then once more", async () => {
    let time = 0;
    const { names, asked } = await openResolver(() => "NXDOMAIN", { now: () => time });
    const resolve = () => names.resolveUntrusted("missing.test", "org_one").catch((error) => error.message);
    const message = "missing.test could not be resolved (ENOTFOUND).";
    expect([await resolve(), await resolve()]).toEqual([message, message]);
    expect(asked).toHaveLength(2);
    time = 30_000;
    expect(await resolve()).toBe(message);
    expect(asked).toHaveLength(4);
  });

  it("fail with the reason when no name server answers", async () => {
    const { names } = await openResolver(() => "silence", { timeoutMs: 300 });
    await expect(names.resolveUntrusted("silent.test", "org_one")).rejects.toMatchObject({
      kind: "timeout",
      message: "The name servers of silent.test did not answer in time.",
    });
  });

  it("are found when the name server answers only the fourth query", async () => {
    const answer: Answer = ({ type, nth }) => (nth < 4 ? "silence" : type === "A" ? local : []);
    const { names, asked } = await openResolver(answer, { timeoutMs: 300 });
    expect(await names.resolveUntrusted("slow.test", "org_one")).toEqual(["127.0.0.1"]);
    expect(asked.filter(({ type }) => type === "A")).toHaveLength(4);
  });

  it("are found when the name has addresses of only one kind", async () => {
    const { names } = await openResolver(({ type }) => (type === "AAAA" ? [{ type, data: "::1" }] : []));
    expect(await names.resolveUntrusted("six.test", "org_one")).toEqual(["::1"]);
  });
});

describe("the hosts file", () => {
  it("comes before the name servers, in any case and with several names and addresses", async () => {
    const hostsFile = await writeHosts(
      "# comment\n10.0.0.5 wiki.internal Wiki # the wiki\n::5\twiki\nno-address wiki\n",
    );
    const { names, asked } = await openResolver(answerMost, { hostsFile });
    expect(await names.resolveUntrusted("WIKI", "org_one")).toEqual(["10.0.0.5", "::5"]);
    expect(await names.resolveForOperator("wiki.internal.")).toEqual(["10.0.0.5"]);
    expect(asked).toEqual([]);
  });

  it("is not needed for localhost", async () => {
    const { names, asked } = await openResolver(answerMost);
    expect(await names.resolveUntrusted("localhost", "org_one")).toEqual(["127.0.0.1", "::1"]);
    expect(await names.resolveUntrusted("app.localhost", "org_one")).toEqual(["127.0.0.1", "::1"]);
    expect(asked).toEqual([]);
  });
});

describe("the operator's hosts", () => {
  it("never wait for names that members entered", async () => {
    const { names } = await openResolver(answerMost);
    const { port } = await startHttpServer((_, response) => response.end("model"));
    const outbound = openOutbound({ names });
    const limits = { method: "GET", timeoutMs: 60_000, maxBytes: 100 } as const;
    const ignore = () => {};
    for (let index = 0; index < 300; index++) {
      const url = `http://silent${index}.test/`;
      const organizationId = `org_${index % 5}`;
      outbound.request({ ...limits, url, trust: "untrusted", organizationId }).catch(ignore);
    }
    const call = { ...limits, url: `http://model.test:${port}/`, trust: "operator", organizationId: null } as const;
    expect((await outbound.request(call)).body.toString()).toBe("model");
  });

  it("are resolved by the system when no name server knows them", async () => {
    const { names } = await openResolver(() => "NXDOMAIN");
    await expect(names.resolveForOperator("missing.invalid")).rejects.toMatchObject({ syscall: "getaddrinfo" });
  });
});

describe("outbound calls", () => {
  it("of an organization leave room for the calls of another one, which wait for no response of the first", async () => {
    const { names } = await openResolver(answerMost);
    const silent = await startHttpServer(() => {});
    const { url } = await startHttpServer((_, response) => response.end("ok"));
    const outbound = openOutbound({ names, allow: ["127.0.0.1"], maxCalls: 16 });
    const limits = { method: "GET", trust: "untrusted", timeoutMs: 60_000, maxBytes: 100 } as const;
    const ignore = () => {};
    for (let index = 0; index < 40; index++) {
      outbound.request({ ...limits, url: silent.url, organizationId: "org_greedy" }).catch(ignore);
    }
    expect((await outbound.request({ ...limits, url, organizationId: "org_honest" })).body.toString()).toBe("ok");
    await expect.poll(() => silent.seen.connections).toBe(4);
  });

  it("of an organization with too many waiting calls fail with the reason", async () => {
    const silent = await startHttpServer(() => {});
    const outbound = openOutbound({ allow: ["127.0.0.1"], maxCalls: 1 });
    const call = { method: "GET", trust: "untrusted", organizationId: "org_greedy", url: silent.url } as const;
    const limits = { timeoutMs: 60_000, maxBytes: 100 };
    const ignore = () => {};
    for (let index = 0; index < 1_001; index++) outbound.request({ ...call, ...limits }).catch(ignore);
    await expect(outbound.request({ ...call, ...limits })).rejects.toMatchObject({ kind: "busy" });
  });
});
