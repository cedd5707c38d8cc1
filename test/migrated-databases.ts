import { rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import type { DatabaseAddress } from "../packages/server/src/db/database-kind.ts";
import { migrate } from "../packages/server/src/db/migrate.ts";
import { openDatabase } from "../packages/server/src/db/open.ts";
import { createTemporaryFolder } from "./temporary-folders.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** a SQLite database with the current schema, which tests copy */
    migratedSqliteFile: string;
  }
}

/** The PostgreSQL database with the current schema, which tests use as a template. */
export const MIGRATED_DATABASE = "foyer_migrated";

/** Migrates one database of each kind, because copying one takes a tenth of the time of migrating another. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = createTemporaryFolder("migrated");
  const file = join(folder, "foyer.sqlite");
  await migrateNew({ kind: "sqlite", file });
  project.provide("migratedSqliteFile", file);

  const { postgresUrl } = project.getProvidedContext();
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(`create database ${MIGRATED_DATABASE}`);
  await client.end();
  const url = new URL(postgresUrl);
  url.pathname = `/${MIGRATED_DATABASE}`;
  await migrateNew({ kind: "postgres", url: url.href });
  return () => rm(folder, { recursive: true, force: true });
}

async function migrateNew(address: DatabaseAddress): Promise<void> {
  const { db, kind } = openDatabase(address, () => {});
  await migrate({ db, kind });
  await db.destroy();
}
