import { randomUUID } from "node:crypto";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import pg from "pg";
import { describe, expect, inject } from "vitest";
import type { DatabaseAddress } from "../packages/server/src/db/database-kind.ts";
import type { Db } from "../packages/server/src/db/open.ts";
import { MIGRATED_DATABASE } from "./migrated-databases.ts";
import { createTemporaryFolder } from "./temporary-folders.ts";

export type TestDatabase = { address: DatabaseAddress; drop(): Promise<void> };

/** Creates a database with the current schema, or without any tables if `isEmpty`. */
export type CreateDatabase = (options?: { isEmpty?: boolean }) => Promise<TestDatabase>;

/** Runs the suite once on SQLite and once on PostgreSQL. */
export function onBothDatabases(name: string, suite: (createDatabase: CreateDatabase) => void): void {
  describe(`${name} on SQLite`, () => suite(createSqlite));
  describe(`${name} on PostgreSQL`, () => suite(createPostgres));
}

export const createSqlite: CreateDatabase = async ({ isEmpty = false } = {}) => {
  const folder = createTemporaryFolder("sqlite");
  const file = join(folder, "foyer.sqlite");
  if (!isEmpty) copyFileSync(inject("migratedSqliteFile"), file);
  return {
    address: { kind: "sqlite", file },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
};

export const createPostgres: CreateDatabase = async ({ isEmpty = false } = {}) => {
  const server = inject("postgresUrl");
  const name = `foyer_${randomUUID().replaceAll("-", "")}`;
  const template = isEmpty ? "template1" : MIGRATED_DATABASE;
  // Copying files takes half of the CPU time of PostgreSQL's default strategy, which writes every page to its log.
  const create = `create database ${name} template ${template} strategy file_copy`;
  await withClient(server, (client) => client.query(create));
  const url = new URL(inject("pooledPostgresUrl") ?? server);
  url.pathname = `/${name}`;
  return {
    address: { kind: "postgres", url: url.href },
    async drop() {
      await withClient(server, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
};

/** One connection, closed after use. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/**
 * Resolves when a statement in this PostgreSQL database is waiting for a lock. Pass the pool, not a transaction: within
 * one, the view would not change.
 */
export async function waitForBlockedStatement(db: Db): Promise<void> {
  const blocked = sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await blocked.execute(db)).rows[0]?.count).toBeGreaterThan(0);
}
