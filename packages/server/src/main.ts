import { createApp } from "./app.ts";
import { hasAccounts } from "./auth/account-store.ts";
import { ensureAdmin } from "./auth/ensure-admin.ts";
import { ConfigError } from "./config-values.ts";
import { startRetention } from "./conversations/retention.ts";
import { migrate } from "./db/migrate.ts";
import { setUpLink } from "./setup/setup-token.ts";
import { createDeps, readEnvironment } from "./start-up.ts";

const { config, log } = readOrExit();
const deps = createDeps(config, log);
await migrate({ db: deps.db, kind: deps.databaseKind });
await ensureAdmin(deps.db, config);
const { app, drain } = await createApp(deps);
const stopRetention = startRetention(deps);
await app.listen({ host: config.host, port: config.port });
await announce();

for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => void shutDown(signal));
process.on("unhandledRejection", (error) => {
  log.fatal({ err: error }, "unhandled rejection; the process ends to start clean");
  process.exit(1);
});

/** Running replies end first, for as long as FOYER_DRAIN_TIMEOUT allows. A second signal ends at once. */
async function shutDown(signal: string) {
  log.info({ signal }, "shutting down");
  process.once(signal, () => process.exit(1));
  stopRetention();
  await drain();
  await app.close();
  await deps.close();
  process.exit(0);
}

async function announce() {
  const { defaultModelId } = deps.models;
  const note = defaultModelId === "foyer/demo" ? " (built in, no AI; set a provider's key for a real one)" : "";
  console.log(`Foyer   ${config.baseUrl}\nModel   ${defaultModelId}${note}`);
  if (!(await hasAccounts(deps.db))) console.log(`Set up  ${setUpLink(deps)}`);
}

function readOrExit() {
  try {
    return readEnvironment(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    console.error(error.message);
    process.exit(1);
  }
}
