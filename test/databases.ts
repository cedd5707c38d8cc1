import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { describe, inject } from "vitest";
import type { DatabaseAddress } from "../packages/server/src/db/open.ts";

export type TestDatabase = { address: DatabaseAddress; drop(): Promise<void> };

/** Runs the suite once on SQLite and once on PostgreSQL; `createDatabase` makes an empty one. */
export function onBothDatabases(name: string, suite: (createDatabase: () => Promise<TestDatabase>) => void): void {
  describe(`${name} on SQLite`, () => suite(createSqlite));
  describe(`${name} on PostgreSQL`, () => suite(createPostgres));
}

export async function createSqlite(): Promise<TestDatabase> {
  const folder = mkdtempSync(join(tmpdir(), "foyer-sqlite-"));
  return {
    address: { kind: "sqlite", file: join(folder, "foyer.sqlite") },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

export async function createPostgres(): Promise<TestDatabase> {
  const server = inject("postgresUrl");
  const name = `foyer_${randomUUID().replaceAll("-", "")}`;
  await withClient(server, (client) => client.query(`create database ${name}`));
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    address: { kind: "postgres", url: url.href },
    async drop() {
      await withClient(server, (client) => client.query(`drop database ${name} with (force)`));
    },
  };
}

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
