import { execFile } from "node:child_process";
import { chown, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type pg from "pg";
import { withClient } from "./databases.ts";
import { type PostgresServer, startPostgres } from "./postgres-server.ts";
import { createTemporaryFolder } from "./temporary-folders.ts";

const replication = { wal_level: "replica", max_wal_senders: "4", wal_keep_size: "1GB" };

/**
 * Starts a PostgreSQL server and a standby that follows it. From then on the primary confirms a commit only after the
 * standby has it.
 */
export async function startPrimaryAndStandby(): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
  const primary = await startPostgres({ settings: replication });
  const standby = await startPostgres({ settings: replication, standbyFolder: await copyForStandby(primary) });
  await withClient(primary.url, async (client) => {
    while (!(await isStreaming(client))) await wait(20);
    await client.query("alter system set synchronous_standby_names = '*'");
    await client.query("select pg_reload_conf()");
  });
  return { primary, standby };
}

async function isStreaming(primary: pg.Client): Promise<boolean> {
  const { rows } = await primary.query("select state from pg_stat_replication where state = 'streaming'");
  return rows.length > 0;
}

/** Makes the standby accept writes. Resolves when it does. */
export async function promote(standby: PostgresServer): Promise<void> {
  await withClient(standby.url, (client) => client.query("select pg_promote(wait => true)"));
}

/** Copies the data of a running server like pg_basebackup, which the tests' PostgreSQL does not include. */
async function copyForStandby(primary: PostgresServer): Promise<string> {
  const folder = createTemporaryFolder("standby");
  const { uid, gid } = await stat(primary.folder);
  const write = async (name: string, content: string) => {
    await writeFile(join(folder, name), content);
    await chown(join(folder, name), uid, gid);
  };
  await withClient(primary.url, async (client) => {
    await client.query("select pg_backup_start('standby', true)");
    // Keeps the owner of the files, which Node's own copying does not.
    await promisify(execFile)("cp", ["-a", `${primary.folder}/.`, folder]);
    const { rows } = await client.query<Backup>("select labelfile from pg_backup_stop(false)");
    await write("backup_label", rows[0]?.labelfile ?? "");
  });
  const ofPrimary = ["postmaster.pid", "postmaster.opts", ".s.PGSQL.5432", ".s.PGSQL.5432.lock"];
  await Promise.all(ofPrimary.map((name) => rm(join(folder, name), { force: true })));
  await write("standby.signal", "");
  const source = `host=${primary.folder} port=5432 user=postgres password=postgres`;
  await write("postgresql.auto.conf", `primary_conninfo = '${source}'\n`);
  return folder;
}

type Backup = pg.QueryResultRow & { labelfile: string };
