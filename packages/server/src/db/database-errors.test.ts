import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { certificate, certificateKey } from "../../../../test/smtp-server.ts";
import { describeDatabaseError, isDamaged, isUnavailable } from "./database-errors.ts";

it("isUnavailable recognizes a PostgreSQL server whose socket file is missing while it restarts", async () => {
  const client = new pg.Client({ host: join(import.meta.dirname, "no-such-folder") });
  const error = await client.connect().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toMatchObject({ code: "ENOENT" });
  expect(isUnavailable(error)).toBe(true);
});

it("isUnavailable does not take a missing file for a missing database", () => {
  expect(isUnavailable(Object.assign(new Error("no such file"), { code: "ENOENT", syscall: "open" }))).toBe(false);
});

it.each([
  ["SQLITE_CORRUPT", true],
  ["SQLITE_NOTADB", true],
  ["XX001", true],
  ["SQLITE_CORRUPT_VTAB", false],
  [undefined, false],
])("isDamaged looks at the code of an error alone: %s", (code, expected) => {
  expect(isDamaged(Object.assign(new Error("database disk image is malformed"), { code }))).toBe(expected);
});

it("describeDatabaseError says how to trust a certificate that is self-signed", async () => {
  // Accepts PostgreSQL's request for TLS, like a server whose administrator made its certificate.
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write("S");
      new TLSSocket(socket, { isServer: true, cert: certificate, key: certificateKey }).on("error", () => {});
    });
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const connectionString = `postgres://foyer:x@127.0.0.1:${port}/foyer?sslmode=require`;
  const error = await new pg.Client({ connectionString }).connect().catch((error: unknown) => error);
  expect(describeDatabaseError(error)).toMatch(
    /^self-signed certificate\. Add sslrootcert=.* sslmode=no-verify to encrypt/,
  );
});
