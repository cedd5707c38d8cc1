import { spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import { chown, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";

/** Part of the socket file's name. */
const PORT = 6432;

/** The program, or null when it is not installed. Debian installs it into a folder that is not in every user's path. */
export function findPgBouncer(): string | null {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin"];
  return folders.map((folder) => join(folder, "pgbouncer")).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts PgBouncer in transaction mode in front of a PostgreSQL server that listens on a Unix socket.
 * @param url any database of the server
 * @param poolSize connections to each database
 * @returns a function that converts another of the server's addresses to one that goes through PgBouncer
 */
export async function startPgBouncer(program: string, { url, poolSize }: { url: string; poolSize: number }) {
  const socketFolder = new URL(url).searchParams.get("host") ?? "";
  const { uid, gid } = await stat(socketFolder);
  const folder = await mkdtemp(join(tmpdir(), "foyer-pgbouncer-"));
  const configuration = join(folder, "pgbouncer.ini");
  await writeFile(configuration, createSettings({ socketFolder, folder, poolSize }));
  await Promise.all([folder, configuration].map((path) => chown(path, uid, gid)));
  // It refuses to run as root, so it runs as the user that runs PostgreSQL.
  const child = spawn(program, ["-q", configuration], process.getuid?.() === 0 ? { uid, gid } : {});
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (data) => {
      output += data;
    });
  }
  const through = (address: string) => {
    const own = new URL(address);
    own.port = String(PORT);
    own.searchParams.set("host", folder);
    return own.href;
  };
  while (!(await isReady(through(url)))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with code ${child.exitCode}: ${output}`);
    await wait(20);
  }
  return {
    through,
    async stop() {
      const exited = once(child, "exit");
      child.kill("SIGINT");
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isReady(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}

function createSettings({
  socketFolder,
  folder,
  poolSize,
}: {
  socketFolder: string;
  folder: string;
  poolSize: number;
}) {
  return `[databases]
* = host=${socketFolder} port=5432 user=postgres password=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = ${folder}
listen_port = ${PORT}
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 200
`;
}
