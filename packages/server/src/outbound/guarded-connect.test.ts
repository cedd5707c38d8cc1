import { createServer as createHttpsServer } from "node:https";
import { createServer, type Socket } from "node:net";
import tls from "node:tls";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  close,
  listen,
  openOutbound,
  startCanary,
  startHttpServer,
  waitForClose,
  waitForNextTurn,
} from "../../../../test/outbound-servers.ts";
import { createGuardedConnect } from "./guarded-connect.ts";
import { OutboundError } from "./guarded-request.ts";

const whole = { method: "GET", trust: "untrusted", organizationId: null, timeoutMs: 10_000, maxBytes: 1_000 } as const;

/** Creates a name server that returns these addresses in order and then repeats the last ones. */
function createNameServer(...answers: string[][]) {
  const asked: string[] = [];
  const resolve = async (name: string) => {
    asked.push(name);
    return answers[Math.min(asked.length, answers.length) - 1] ?? [];
  };
  return { asked, resolve };
}

describe("host names", () => {
  // 127.0.0.1 is allowed and stands for the public internet. 127.0.0.2 is internal.
  const allow = ["127.0.0.1/32"];

  it("are looked up once per connection, so a different second response has no effect", async () => {
    const inside = await startCanary("127.0.0.2");
    const outside = await startHttpServer((_request, response) => response.end("outside"));
    const { asked, resolve } = createNameServer(["127.0.0.1"], ["127.0.0.2"]);
    const outbound = openOutbound({ allow, resolve });
    const url = `http://rebinding.test:${outside.port}/`;
    for (let call = 0; call < 3; call += 1) {
      expect((await outbound.request({ ...whole, url })).body.toString()).toBe("outside");
      await waitForNextTurn();
    }
    expect(asked).toEqual(["rebinding.test"]);
    expect(outside.seen.connections).toBe(1);
    expect(inside.seen.connections).toBe(0);
  });

  it("are checked again for the next connection", async () => {
    const outside = await startHttpServer((_request, response) =>
      response.writeHead(200, { connection: "close" }).end(),
    );
    const { asked, resolve } = createNameServer(["127.0.0.1"], ["127.0.0.2"]);
    const outbound = openOutbound({ allow, resolve });
    const url = `http://rebinding.test:${outside.port}/`;
    await outbound.request({ ...whole, url });
    await expect(outbound.request({ ...whole, url })).rejects.toMatchObject({
      kind: "refused",
      message: expect.stringContaining("rebinding.test is at 127.0.0.2, which is a loopback address"),
    });
    expect(asked).toHaveLength(2);
    expect(outside.seen.connections).toBe(1);
  });

  it.each([
    [["127.0.0.1", "127.0.0.2"]],
    [["127.0.0.2", "127.0.0.1"]],
    [["127.0.0.1", "::1"]],
    [["127.0.0.1", "not an address"]],
  ])("with one forbidden address among several are refused: %j", async (answer) => {
    const outside = await startHttpServer((_request, response) => response.end());
    const outbound = openOutbound({ allow, resolve: async () => answer });
    const url = `http://mixed.test:${outside.port}/`;
    await expect(outbound.request({ ...whole, url })).rejects.toMatchObject({ kind: "refused" });
    expect(outside.seen.connections).toBe(0);
  });

  it("are tried at their other addresses when the first is unreachable", async () => {
    const outside = await startHttpServer((_request, response) => response.end("alive"), "127.0.0.3");
    const resolve = async () => ["127.0.0.2", "127.0.0.3"];
    const outbound = openOutbound({ allowPrivate: true, resolve });
    const answer = await outbound.request({ ...whole, url: `http://two.test:${outside.port}/` });
    expect(answer.body.toString()).toBe("alive");
  });

  it("fail when the lookup fails", async () => {
    const resolve = async () => {
      throw Object.assign(new Error("getaddrinfo ENOTFOUND gone.test"), { code: "ENOTFOUND" });
    };
    const outbound = openOutbound({ resolve });
    await expect(outbound.request({ ...whole, url: "http://gone.test/" })).rejects.toMatchObject({
      kind: "unreachable",
      message: "gone.test could not be resolved (ENOTFOUND).",
    });
  });

  it("are sent unchanged in the Host header", async () => {
    const outside = await startHttpServer((request, response) => response.end(request.headers.host));
    const outbound = openOutbound({ allow: ["crm.internal"], resolve: async () => ["127.0.0.1"] });
    const answer = await outbound.request({ ...whole, url: `http://crm.internal:${outside.port}/` });
    expect(answer.body.toString()).toBe(`crm.internal:${outside.port}`);
  });
});

describe("the connector", () => {
  const createRefusingGuard = (isRefused: (call: number) => boolean) => {
    const checked: string[] = [];
    const checkAddress = (address: string) => {
      checked.push(address);
      if (isRefused(checked.length)) throw new OutboundError("refused", address);
    };
    return { checked, guard: { checkAddress, checkUrl: (url: string) => new URL(url) } };
  };
  const connectTo = (connect: ReturnType<typeof createGuardedConnect>, hostname: string, port: number) =>
    new Promise<Socket | Error>((resolve) => {
      connect({ hostname, protocol: "http:", port: String(port) }, (error, socket) => resolve(error ?? socket));
    });

  it("refuses a forbidden IP literal without connecting", async () => {
    const canary = await startCanary("127.0.0.1");
    const { guard, checked } = createRefusingGuard(() => true);
    const outcome = await connectTo(
      createGuardedConnect(guard, async () => []),
      "127.0.0.1",
      canary.port,
    );
    expect(outcome).toMatchObject({ kind: "refused" });
    expect(checked).toEqual(["127.0.0.1"]);
    expect(canary.seen.connections).toBe(0);
  });

  it("checks the address that the socket actually used and disconnects", async () => {
    const hungUp = Promise.withResolvers<unknown>();
    const server = createServer((socket) => hungUp.resolve(waitForClose(socket.resume())));
    const { port } = await listen(server, "127.0.0.1");
    onTestFinished(() => close(server));
    const { guard, checked } = createRefusingGuard((call) => call === 2);
    const connect = createGuardedConnect(guard, async () => ["127.0.0.1"]);
    expect(await connectTo(connect, "name.test", port)).toMatchObject({ kind: "refused" });
    expect(checked).toEqual(["127.0.0.1", "127.0.0.1"]);
    await hungUp.promise;
  });
});

describe("TLS", () => {
  it("requests the host name and verifies the certificate against it", async () => {
    const trusted = tls.getCACertificates();
    tls.setDefaultCACertificates([...trusted, certificate]);
    onTestFinished(() => tls.setDefaultCACertificates(trusted));
    const asked: (string | false)[] = [];
    const server = createHttpsServer({ key, cert: certificate }, (_request, response) => response.end("secret"));
    server.on("secureConnection", (socket) => asked.push(socket.servername ?? false));
    const { port } = await listen(server, "127.0.0.1");
    onTestFinished(async () => {
      server.closeAllConnections();
      await close(server);
    });
    const outbound = openOutbound({ allowPrivate: true, resolve: async () => ["127.0.0.1"] });

    const answer = await outbound.request({ ...whole, url: `https://hooks.example.test:${port}/` });
    expect(answer.body.toString()).toBe("secret");
    expect(asked).toEqual(["hooks.example.test"]);
    for (const url of [`https://other.example.test:${port}/`, `https://127.0.0.1:${port}/`]) {
      await expect(outbound.request({ ...whole, url })).rejects.toMatchObject({
        kind: "unreachable",
        message: expect.stringContaining("does not match certificate's altnames"),
      });
    }
  });
});

/** Self-signed for hooks.example.test, valid from 2020 to 2120. Created for this test and used nowhere else. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBaTCCAQ+gAwIBAgIBATAKBggqhkjOPQQDAjAVMRMwEQYDVQQDDApGb3llciB0
ZXN0MCAXDTIwMDEwMTAwMDAwMFoYDzIxMjAwMTAxMDAwMDAwWjAVMRMwEQYDVQQD
DApGb3llciB0ZXN0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2NBmIqqouCiW
Bqvd0vN9sJZ4hLpuljdyP6R+3rc03dWDnDCDOnwIsaZsDHrQPvpI3CdYbVo8e8FH
VOVNvEtp4qNOMEwwHQYDVR0RBBYwFIISaG9va3MuZXhhbXBsZS50ZXN0MAwGA1Ud
EwQFMAMBAf8wHQYDVR0OBBYEFPWxKJUklM8X34mjgRZ3HyfmMSWSMAoGCCqGSM49
BAMCA0gAMEUCIQCBkJmlowh41Xe3hI2l9ETQynoJi+F2bu4dMT/3a8x5ygIgKpjC
vJC6tH1OIrffHECkjqWZpRsyNd4n3WtMBrK452c=
-----END CERTIFICATE-----
`;
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgj3JsR8FaKgXRJQVI
M7L/LRyABGOGN9CLAkLNStjtJTahRANCAATY0GYiqqi4KJYGq93S832wlniEum6W
N3I/pH7etzTd1YOcMIM6fAixpmwMetA++kjcJ1htWjx7wUdU5U28S2ni
-----END PRIVATE KEY-----
`;
