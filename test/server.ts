import { rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { sql } from "kysely";
import { createApp } from "../packages/server/src/app.ts";
import { generateKey } from "../packages/server/src/auth/api-keys/key-format.ts";
import { insertKey } from "../packages/server/src/auth/api-keys/store.ts";
import { createDeps, readEnvironment } from "../packages/server/src/create-deps.ts";
import { migrate } from "../packages/server/src/db/migrate.ts";
import type { BoundPort } from "../packages/server/src/http/bind-port.ts";
import { newId } from "../packages/server/src/ids.ts";
import type { Outbound } from "../packages/server/src/outbound/guarded-request.ts";
import type { TestDatabase } from "./databases.ts";
import { createSqlite } from "./databases.ts";
import { createTemporaryFolder } from "./temporary-folders.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * Tests send calls as fast as they can, so limits are off. Tests of the limits clear the variables, which restores the
 * defaults.
 */
const planLimitsOff = Object.fromEntries(
  ["FREE", "STARTER", "GROWTH", "PRO"].map((plan) => [`FOYER_LIMIT_API_${plan}`, "0"]),
);

export type TestServer = Awaited<ReturnType<typeof startServer>>;

/**
 * Starts the real server on its own database. With `listen: true` it listens on any port, and with a bound port on that
 * one; otherwise tests call it with `app.inject`. `env` adds environment variables. The log is silent unless they set a
 * level. With `outbound`, tools and deliveries use it for their calls.
 */
export async function startServer(
  options: {
    database?: TestDatabase;
    env?: Record<string, string>;
    listen?: boolean | BoundPort;
    outbound?: Outbound;
  } = {},
) {
  const database = options.database ?? (await createSqlite());
  const dataDir = createTemporaryFolder("data");
  const { config, log } = readEnvironment({
    FOYER_DATA_DIR: dataDir,
    FOYER_SECRET: "a secret of the tests, long enough",
    FOYER_LOG_LEVEL: "silent",
    FOYER_DRAIN_TIMEOUT: "500ms",
    // Load shedding is off, because a busy test machine can stall for seconds.
    FOYER_MAX_LAG: "0s",
    ...planLimitsOff,
    ...(database.address.kind === "postgres" ? { DATABASE_URL: database.address.url } : {}),
    ...options.env,
  });
  const own = createDeps({ ...config, database: database.address }, log);
  const deps = { ...own, ...(options.outbound ? { outbound: options.outbound } : {}) };
  // Tests stop the server but never the machine, and waiting for the disk after every commit would take most of their
  // time.
  if (deps.databaseKind === "sqlite") await sql`pragma synchronous = off`.execute(deps.db);
  await migrate({ db: deps.db, kind: deps.databaseKind });
  const { app, drain } = await createApp(deps);
  if (typeof options.listen === "object") await options.listen.listen(app);
  else if (options.listen) await app.listen({ host: "127.0.0.1", port: 0 });
  else await app.ready();
  const url = options.listen ? `http://127.0.0.1:${(app.server.address() as AddressInfo).port}` : "http://localhost";

  return {
    app,
    deps,
    url,
    drain,
    /** Creates an organization with an owner and a key. Every call creates another one. */
    async createAccount(plan = "pro") {
      const account = await createAccount(deps, plan);
      /** Calls a route with the organization's key. */
      const call = async (method: Method, url: string, body?: object) => {
        const payload = body === undefined ? {} : { payload: body };
        const response = await app.inject({ method, url, headers: account.headers, ...payload });
        return { status: response.statusCode, body: response.json() };
      };
      return { ...account, call };
    },
    async stop() {
      await drain();
      await app.close();
      await deps.close();
      rmSync(dataDir, { recursive: true, force: true });
      if (!options.database) await database.drop();
    },
  };
}

async function createAccount({ db }: ReturnType<typeof createDeps>, plan: string) {
  const organizationId = newId("org");
  const key = generateKey();
  await db
    .insertInto("organizations")
    .values({
      id: organizationId,
      name: "Test",
      slug: organizationId,
      logo: null,
      metadata: null,
      plan,
      createdAt: new Date().toISOString(),
    })
    .execute();
  await insertKey(db, { organizationId, createdBy: null, name: "test", key, expiresAt: null });
  return { organizationId, key, headers: { authorization: `Bearer ${key}` } };
}
