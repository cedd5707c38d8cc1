import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { type DnsQuestion, startDnsServer } from "../../../../test/dns-server.ts";
import { close, listen, openOutbound, waitForNextTurn } from "../../../../test/outbound-servers.ts";
import type { Outbound } from "./guarded-request.ts";

// 127.0.0.1 is allowed and stands for the public internet. All other addresses of this machine are internal.
const allow = ["127.0.0.1/32"];
const publicAddress = "8.8.8.8";

type Answer = Parameters<typeof startDnsServer>[0];
type Answered = Awaited<ReturnType<Answer>>;

async function startNameServer(answer: Answer) {
  const names = await startDnsServer(answer);
  onTestFinished(() => names.close());
  return names;
}

/**
 * Listens on all addresses of the machine. `inside` collects the internal addresses that a call reached, which must
 * remain empty.
 */
async function startListeners() {
  const inside: (string | undefined)[] = [];
  const outside = { connections: 0 };
  const server = createServer((_request, response) => response.end("reached"));
  server.on("connection", (socket) => {
    if (/^(::ffff:)?127\.0\.0\.1$/.test(socket.localAddress ?? "")) outside.connections += 1;
    else inside.push(socket.localAddress);
  });
  const { port } = await listen(server);
  onTestFinished(async () => {
    server.closeAllConnections();
    await close(server);
  });
  return { port, inside, outside };
}

type Way = (outbound: Outbound, url: string, signal?: AbortSignal) => Promise<unknown>;

/**
 * All kinds of outbound calls. Each returns the text of the response and closes its connection, so that the next call
 * cannot reuse it.
 */
const ways: Record<string, Way> = {
  async request(outbound, url, signal) {
    const more = signal ? { signal } : {};
    const answer = await outbound.request({ ...call, ...more, url, timeoutMs: 5_000, maxBytes: 100 });
    return answer.body.toString();
  },
  async stream(outbound, url, signal) {
    const { body } = await outbound.stream({ ...call, ...(signal ? { signal } : {}), url });
    return (await body.toArray()).join("");
  },
  async fetch(outbound, url, signal) {
    const { headers } = call;
    return (
      await outbound.fetch({ trust: "untrusted", organizationId: null })(url, {
        headers,
        ...(signal ? { signal } : {}),
      })
    ).text();
  },
};
const call = { method: "GET", trust: "untrusted", organizationId: null, headers: { connection: "close" } } as const;
const everyWay = Object.entries(ways);

const readOutcome = (calling: Promise<unknown>) =>
  calling.catch((error: { kind?: string }) => error.kind ?? error) as Promise<unknown>;

/** Returns only A records, or only AAAA records. The response to the other query is empty. */
const a =
  (...addresses: string[]) =>
  ({ type }: DnsQuestion): Answered =>
    type === "A" ? addresses.map((data) => ({ type, data })) : [];
const aaaa =
  (...addresses: string[]) =>
  ({ type }: DnsQuestion): Answered =>
    type === "AAAA" ? addresses.map((data) => ({ type, data })) : [];
const both =
  (ipv4: string, ipv6: string) =>
  (question: DnsQuestion): Answered =>
    question.type === "A" ? a(ipv4)(question) : aaaa(ipv6)(question);
/** Returns the response of a recursive resolver to an alias: the whole chain, and the address of the last name. */
const alias =
  (address: string, ...names: string[]) =>
  ({ type }: DnsQuestion): Answered => {
    if (type !== "A") return [];
    const links = names.map((data, index) => {
      const name = names[index - 1];
      return { type: "CNAME" as const, data, ...(name === undefined ? {} : { name }) };
    });
    return [...links, { type, data: address, name: names.at(-1) ?? "" }];
  };

const hostile: Record<string, Answer> = {
  "a loopback address": a("127.0.0.2"),
  "no address at all, which the system takes for this machine": a("0.0.0.0"),
  "a metadata address": a("169.254.169.254"),
  "a public address and a loopback one": a(publicAddress, "127.0.0.2"),
  "a loopback address and a public one": a("127.0.0.2", publicAddress),
  "an open address and a loopback one": a("127.0.0.1", "127.0.0.2"),
  "a public address and IPv6 loopback": both(publicAddress, "::1"),
  "an open address and IPv6 loopback": both("127.0.0.1", "::1"),
  "a loopback address and public IPv6": both("127.0.0.2", "2606:4700:4700::1111"),
  "an alias of a name on loopback": alias("127.0.0.2", "inside.test"),
  "an alias of an alias of localhost": alias("127.0.0.2", "other.test", "localhost"),
  "IPv6 loopback": aaaa("::1"),
  "IPv6 loopback behind a public IPv6 address": aaaa("2606:4700:4700::1111", "::1"),
  "a mapped address": aaaa("::ffff:127.0.0.2"),
  "a compatible address": aaaa("::127.0.0.2"),
  "a NAT64 address": aaaa("64:ff9b::127.0.0.2"),
  "a local NAT64 address": aaaa("64:ff9b:1::127.0.0.2"),
  "a 6to4 address": aaaa("2002:7f00:2::"),
  "a hundred addresses, the last on loopback": a(...new Array<string>(99).fill("127.0.0.1"), "127.0.0.2"),
};

describe("a name server that responds with", () => {
  it.each(Object.entries(hostile))("%s is refused by request, stream and fetch", async (_what, answer) => {
    const names = await startNameServer(answer);
    const { port, inside, outside } = await startListeners();
    const outbound = openOutbound({ allow, resolve: names.resolve });
    for (const [way, run] of everyWay) {
      expect(await readOutcome(run(outbound, `http://evil.test:${port}/`)), way).toBe("refused");
      expect(await readOutcome(run(outbound, `https://evil.test:${port}/`)), way).toBe("refused");
    }
    expect(names.asked.length).toBe(everyWay.length * 2 * 2);
    expect([inside, outside.connections]).toEqual([[], 0]);
  });

  it("the allowed address is reached, which proves that the other calls were refused by the guard", async () => {
    const names = await startNameServer(alias("127.0.0.1", "open.test"));
    const hundred = await startNameServer(a(...new Array<string>(100).fill("127.0.0.1")));
    const { port, outside } = await startListeners();
    for (const { resolve } of [names, hundred]) {
      const outbound = openOutbound({ allow, resolve });
      for (const [, run] of everyWay) expect(await run(outbound, `http://good.test:${port}/`)).toBe("reached");
    }
    expect((await hundred.resolve("good.test")).length).toBe(100);
    expect(outside.connections).toBe(everyWay.length * 2);
  });

  it.each([
    ["NXDOMAIN", "gone.test could not be resolved (ENOTFOUND)."],
    ["SERVFAIL", "gone.test could not be reached"],
    [[], "gone.test could not be resolved."],
  ] as const)("%j fails like an unreachable host", async (answered, message) => {
    const names = await startNameServer(() => (typeof answered === "string" ? answered : []));
    const outbound = openOutbound({ resolve: names.resolve });
    for (const [, run] of everyWay) {
      await expect(run(outbound, "http://gone.test/")).rejects.toMatchObject({
        kind: "unreachable",
        message: expect.stringContaining(message),
        publicMessage: "Not reachable",
      });
    }
  });
});

describe("a name server that changes its response", () => {
  /** Returns an allowed address first and an internal one from then on. The records must not be cached. */
  const respondWithRebinding = ({ type, nth }: DnsQuestion): Answered =>
    type === "A" ? [{ type, data: nth === 1 ? "127.0.0.1" : "127.0.0.2", ttl: 0 }] : [];

  it.each(everyWay)("is queried once per connection and checked each time: %s", async (_way, run) => {
    const names = await startNameServer(respondWithRebinding);
    const { port, inside, outside } = await startListeners();
    const outbound = openOutbound({ allow, resolve: names.resolve });
    const url = `http://rebinding.test:${port}/`;
    expect(await run(outbound, url)).toBe("reached");
    expect(names.asked.map(({ type }) => type).sort()).toEqual(["A", "AAAA"]);
    for (let again = 0; again < 3; again += 1) expect(await readOutcome(run(outbound, url))).toBe("refused");
    expect([inside, outside.connections]).toEqual([[], 1]);
  });

  it("is not queried again while the connection is open", async () => {
    const names = await startNameServer(respondWithRebinding);
    const { port, inside, outside } = await startListeners();
    const outbound = openOutbound({ allow, resolve: names.resolve });
    const url = `http://rebinding.test:${port}/`;
    for (let again = 0; again < 3; again += 1) {
      const answer = await outbound.request({ ...call, headers: {}, url, timeoutMs: 5_000, maxBytes: 100 });
      expect(answer.body.toString()).toBe("reached");
      await waitForNextTurn();
    }
    expect(names.asked).toHaveLength(2);
    expect([inside, outside.connections]).toEqual([[], 1]);
  });

  it("cannot reach internal addresses through concurrent calls", async () => {
    const names = await startNameServer(({ type, nth }) =>
      type === "A" ? [{ type, data: nth % 2 === 0 ? "127.0.0.2" : "127.0.0.1" }] : [],
    );
    const { port, inside, outside } = await startListeners();
    const outbound = openOutbound({ allow, resolve: names.resolve });
    const calls = Array.from({ length: 30 }, (_, index) => {
      const [, run] = everyWay[index % everyWay.length] ?? [];
      return readOutcome(run?.(outbound, `http://flipping.test:${port}/`) ?? Promise.resolve());
    });
    const outcomes = await Promise.all(calls);
    const reached = outcomes.filter((outcome) => outcome === "reached").length;
    expect(reached).toBe(outside.connections);
    expect(outcomes.filter((outcome) => outcome === "refused").length).toBe(30 - reached);
    expect([reached > 0, reached < 30, inside]).toEqual([true, true, []]);
  });
});

describe("a name server that does not respond", () => {
  it("delays a request no longer than its deadline", async () => {
    const names = await startNameServer(() => "silence");
    const outbound = openOutbound({ resolve: names.resolve });
    const calling = outbound.request({ ...call, url: "http://silent.test/", timeoutMs: 200, maxBytes: 100 });
    await expect(calling).rejects.toMatchObject({ kind: "timeout", publicMessage: "Timed out" });
  });

  it.each(everyWay)("does not delay an abort: %s", async (_way, run) => {
    const asked = Promise.withResolvers<void>();
    const names = await startNameServer(() => {
      asked.resolve();
      return "silence";
    });
    const outbound = openOutbound({ resolve: names.resolve });
    const controller = new AbortController();
    const calling = readOutcome(run(outbound, "http://silent.test/", controller.signal));
    await asked.promise;
    const reason = new Error("enough");
    controller.abort(reason);
    expect(await calling).toBe(reason);
  });

  it.each(everyWay)("cannot open a connection by responding after an abort: %s", async (_way, run) => {
    const [asked, late] = [Promise.withResolvers<void>(), Promise.withResolvers<Answered>()];
    const names = await startNameServer(({ type }) => {
      if (type !== "A") return [];
      asked.resolve();
      return late.promise;
    });
    const { port, inside, outside } = await startListeners();
    const answered = Promise.withResolvers<unknown>();
    const resolve = (hostname: string) => {
      const resolving = names.resolve(hostname);
      answered.resolve(resolving);
      return resolving;
    };
    const outbound = openOutbound({ allow, resolve });
    const controller = new AbortController();
    const calling = readOutcome(run(outbound, `http://late.test:${port}/`, controller.signal));
    await asked.promise;
    controller.abort(new Error("enough"));
    await calling;
    late.resolve([{ type: "A", data: "127.0.0.2" }]);
    expect(await answered.promise).toEqual(["127.0.0.2"]);
    await waitForNextTurn();
    expect([inside, outside.connections]).toEqual([[], 0]);
  });
});
