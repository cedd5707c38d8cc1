import { flushCompileCache } from "node:module";
import { createApp } from "./app.ts";
import { hasAccounts } from "./auth/account-store.ts";
import { ensureAdmin } from "./auth/members/ensure-admin.ts";
import { ConfigError } from "./config-values.ts";
import { createDeps, loadDotEnv, readEnvironment } from "./create-deps.ts";
import { describeDatabaseError } from "./db/database-errors.ts";
import { migrate } from "./db/migrate.ts";
import { lockDataFolder } from "./db/sqlite/data-folder-lock.ts";
import type { Deps } from "./deps.ts";
import { startHousekeeping } from "./housekeeping.ts";
import { bindAnyPort } from "./http/bind-port.ts";
import { checkSecret, requireDatabaseOfSecret, requireSecretOfDatabase } from "./secret-check.ts";
import { setUpLink } from "./setup/setup-token.ts";

const CLOSE_MS = 2_000;

const { config, log, terminal, boundPort } = await readOrExit();
// On PostgreSQL several servers share the data, so there is no folder to lock.
const releaseLock = await runOrExit("Foyer cannot start", async () =>
  config.database.kind === "sqlite" ? lockDataFolder(config.dataDir) : () => {},
);
for (const { name, suggestions } of config.unknownSettings) {
  log.warn(`There is no setting ${name}, so it has no effect. Did you mean ${suggestions.join(" or ")}?`);
}
const deps = await runOrExit("Foyer cannot start", async () => {
  requireDatabaseOfSecret(config);
  requireSecretOfDatabase(config);
  return createDeps(config, log);
});
const { app, drain } = await runOrExit("The database cannot be used", prepare);
const stopHousekeeping = startHousekeeping(deps);
await runOrExit(`Foyer cannot listen on ${config.host}:${config.port}`, listen);
const announced = announce();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void shutDown(signal));
await announced;
// Node writes the cache only at a clean exit. Flushing it now keeps the next start fast even if this process is killed.
flushCompileCache();

process.on("unhandledRejection", (error) => {
  log.fatal({ err: error }, "unhandled rejection; exiting");
  process.exit(1);
});

async function prepare() {
  await migrate({ db: deps.db, kind: deps.databaseKind });
  await checkSecret(deps);
  await ensureAdmin(deps, config);
  return createApp(deps);
}

/** Listens without Fastify's own log line, because `announce` prints a better one. */
async function listen() {
  const { level } = log;
  log.level = "warn";
  await (boundPort?.listen(app) ?? app.listen({ host: config.host, port: config.port }));
  log.level = level;
}

/** Waits up to FOYER_DRAIN_TIMEOUT for running replies. A second signal exits immediately. */
async function shutDown(signal: string) {
  log.info({ signal }, "shutting down");
  process.once(signal, () => process.exit(1));
  stopHousekeeping();
  await drain();
  // Closes the remaining connections, such as those that follow a reply of another process.
  setTimeout(() => app.server.closeAllConnections(), CLOSE_MS).unref();
  await app.close();
  // A signal can arrive while `announce` is still querying the database.
  await announced;
  await deps.close();
  releaseLock();
  process.exit(0);
}

async function announce() {
  console.log(`Foyer   ${config.baseUrl}\nModel   ${describeModel(await deps.models.describeDefault())}`);
  // The server works without this information, so a database that has just become unavailable must not end the process.
  const isSetUp = await hasAccounts(deps.db).catch((error: unknown) => {
    log.warn({ err: error }, "could not determine whether the server is set up");
    return true;
  });
  if (isSetUp) return;
  const line = `Set up  ${setUpLink(deps)}\n`;
  if (terminal) terminal.remind(line, async () => !(await hasAccounts(deps.db)));
  else process.stdout.write(line);
}

function describeModel({
  modelId,
  withoutDefault: [connected],
}: Awaited<ReturnType<Deps["models"]["describeDefault"]>>) {
  if (connected) {
    return `${connected} is connected, but lists no models. Set FOYER_DEFAULT_MODEL=${connected}/…, or choose a model for each agent.`;
  }
  return modelId === "foyer/demo"
    ? `${modelId} (built in, not an AI; connect a provider to use a real model)`
    : modelId;
}

/** With `PORT=0` the configuration holds the port that the operating system chose. */
async function readOrExit() {
  try {
    loadDotEnv();
    const environment = readEnvironment(process.env);
    const { host, port } = environment.config;
    if (port !== 0) return { ...environment, boundPort: null };
    const boundPort = await bindAnyPort(host);
    return { ...readEnvironment({ ...process.env, PORT: String(boundPort.port) }), boundPort };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}

async function runOrExit<T>(what: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    log.debug({ err: error }, "start failed");
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      console.error(`Port ${config.port} is already in use. Set PORT to another one.`);
      process.exit(1);
    }
    console.error(`${what}: ${describeDatabaseError(error)}`);
    process.exit(1);
  }
}
