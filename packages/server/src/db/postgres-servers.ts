import type { ClientBase } from "pg";
import { isUnavailable } from "./database-errors.ts";

/**
 * The servers of a connection string: a primary and its standbys. Connections go to the one that accepts writes, as
 * with `target_session_attrs=read-write` of PostgreSQL's own clients. When that server fails, the next one in the list
 * is tried.
 */
export function createPostgresServers(address: string) {
  const urls = parseServerUrls(address);
  let index = 0;
  const currentUrl = () => urls[index] as string;
  return {
    /** Returns the connection string of the server that is currently used. */
    current: currentUrl,
    /**
     * Opens a connection, to another server if this one is unavailable. Each server is tried once.
     * @throws the error of the last attempt
     */
    async connect<Connection>(open: (url: string) => Promise<Connection>): Promise<Connection> {
      for (let tried = 1; ; tried++) {
        const url = currentUrl();
        try {
          return await open(url);
        } catch (error) {
          if (isTlsPreferred(address) && isWithoutTls(error) && url.includes(PREFERRED)) {
            const position = urls.indexOf(url);
            // Of several concurrent attempts, only the first one changes the address.
            if (position !== -1) urls[position] = url.replace(PREFERRED, "sslmode=disable");
            tried--;
            continue;
          }
          if (!isServerFailure(error)) throw error;
          // Of several concurrent attempts, only the first one switches to the next server.
          if (url === currentUrl()) index = (index + 1) % urls.length;
          if (tried >= urls.length) throw error;
        }
      }
    },
    /** @throws ReadOnlyServerError when the connection is to a standby. A single server is not checked. */
    async checkWritable(client: ClientBase): Promise<void> {
      if (urls.length === 1) return;
      const { rows } = await client.query<{ transaction_read_only: string }>("show transaction_read_only");
      if (rows[0]?.transaction_read_only === "on") throw new ReadOnlyServerError();
    },
  };
}

/** The server is a standby, or was demoted to one. */
class ReadOnlyServerError extends Error {
  /** PostgreSQL's code of a write that a standby refuses. */
  readonly code = "25006";

  constructor() {
    super("The PostgreSQL server does not accept writes.");
  }
}

/**
 * `sslmode=prefer` uses TLS without checking the certificate, and continues without TLS if the server has none, as in
 * PostgreSQL's own clients. node-postgres would require TLS and a trusted certificate.
 */
const isTlsPreferred = (address: string) => /[?&]sslmode=(prefer|allow)(&|$)/.test(address);
const PREFERRED = "sslmode=no-verify";
const isWithoutTls = (error: unknown) =>
  error instanceof Error && error.message === "The server does not support SSL connections";

/** An exhausted connection pool is a client-side condition, so it does not count as a server failure. */
function isServerFailure(error: unknown): boolean {
  return isUnavailable(error) && !/timeout exceeded when trying to connect/.test((error as Error).message);
}

/**
 * One connection string per server. Servers are separated by commas, as in PostgreSQL's own clients:
 * `postgres://user:password@first:5432,second:5432/foyer`, or in the parameters `host` and `port`.
 * @throws Error that shows the expected form
 */
export function parseServerUrls(address: string): string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?]*@)?)([^/?@]*)([^?]*)(\?.*)?$/.exec(address);
  if (!parts) throw new Error(EXPECTED);
  const [, start = "", authority = "", path = "", query = ""] = parts;
  const parameters = new URLSearchParams(query);
  const attributes = parameters.get("target_session_attrs");
  if (attributes !== null && !/^(any|read-write|primary)$/.test(attributes)) {
    throw new Error("target_session_attrs=read-write, because Foyer writes to every server that it uses");
  }
  parameters.delete("target_session_attrs");
  if (parameters.has("schema")) {
    throw new Error("options=-c%20search_path%3Dname instead of schema=name, which PostgreSQL does not know");
  }
  if (isTlsPreferred(address)) parameters.set("sslmode", "no-verify");
  const hosts = parameters.get("host")?.split(",");
  const ports = parameters.get("port")?.split(",");
  const names = authority.split(",");
  const urls = Array.from({ length: Math.max(names.length, hosts?.length ?? 0) }, (_, index) => {
    const serverParameters = new URLSearchParams(parameters);
    if (hosts) serverParameters.set("host", valueForServer(hosts, index));
    if (ports) serverParameters.set("port", valueForServer(ports, index));
    return `${start}${valueForServer(names, index)}${path}${serverParameters.size > 0 ? `?${serverParameters}` : ""}`;
  });
  if (!urls.every((url) => URL.canParse(url))) throw new Error(EXPECTED);
  return urls;
}

const EXPECTED = "postgres://user:password@host:port/database";

/** A value that is given only once applies to all servers. */
const valueForServer = (values: readonly string[], index: number) =>
  (values.length === 1 ? values[0] : values[index]) ?? "";
