import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { pino } from "pino";
import { createApiKeys } from "./auth/api-keys/api-keys.ts";
import { sessionCookieScope } from "./auth/sessions/session-cookie.ts";
import { createSessions } from "./auth/sessions/sessions.ts";
import { type Config, readConfig } from "./config.ts";
import { ConfigError } from "./config-values.ts";
import { createBackgroundReads } from "./db/background-reads.ts";
import { openDatabase } from "./db/open.ts";
import { requireWritable } from "./db/sqlite/require-writable.ts";
import type { Deps } from "./deps.ts";
import { createEncryption, loadOrCreateSecret } from "./encryption.ts";
import { createLoopbackPrivileges } from "./loopback-privileges.ts";
import { createModels } from "./models/choose-model.ts";
import { createPriceStore } from "./models/prices/price-store.ts";
import { createPrices } from "./models/prices/service.ts";
import { createOutbound } from "./outbound/guarded-request.ts";
import { createMailer } from "./outbound/send-email.ts";
import { createModelSettings } from "./providers/model-settings.ts";
import { createProviderSettings } from "./providers/provider-settings.ts";
import { createTelemetry } from "./telemetry/telemetry.ts";
import { createTerminalLog } from "./terminal-log.ts";

/**
 * Reads `.env` in the working directory if it exists. Variables that are already set take precedence.
 * @throws ConfigError when the file cannot be read
 */
export function loadDotEnv(): void {
  if (!existsSync(".env")) return;
  for (const [name, value] of Object.entries(parseEnv(readDotEnv()))) process.env[name] ??= value;
}

/** Editors on Windows begin a file with a byte order mark, which would become a part of the first name. */
function readDotEnv(): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(".env");
  } catch (error) {
    throw new ConfigError(`The file ${resolve(".env")} cannot be read: ${(error as Error).message}`);
  }
  if (!isUtf8(bytes) || bytes.includes(0)) throw new ConfigError(`Save the file ${resolve(".env")} as UTF-8.`);
  return bytes.toString("utf8").replace(/^\uFEFF/, "");
}

/**
 * Creates the configuration and the log. `terminal` is null unless the log is text for a terminal. @throws ConfigError
 */
export function readEnvironment(environment: NodeJS.ProcessEnv) {
  const config = readConfig(environment);
  const { logFormat } = config;
  const isText = logFormat === "text" || (logFormat === "auto" && process.stdout.isTTY);
  const terminal = isText ? createTerminalLog(process.stdout) : null;
  const options = {
    level: config.logLevel,
    redact: ["err.requestBodyValues", "err.responseHeaders", "err.cause.requestBodyValues"],
  };
  return { config, log: terminal ? pino(options, terminal) : pino(options), terminal };
}

/** Creates the dependencies shared by the server and the commands. `close` closes every connection. */
export function createDeps(config: Config, log: Deps["log"]) {
  if (config.database.kind === "sqlite") requireWritable(config.dataDir);
  // Before the secret, so that a secret without a database shows that the database was lost.
  const database = openDatabase(config.database, (error) => log.warn({ err: error }, "database connection lost"));
  const encryption = createEncryption(config.secret ?? loadOrCreateSecret(config.dataDir));
  const { db, kind } = database;
  const reads = createBackgroundReads(database);
  const loopbackPrivileges = createLoopbackPrivileges(config.isLoopbackOnly, log);
  const outbound = createOutbound({ allowPrivate: loopbackPrivileges.areGranted, allow: config.outboundAllow });
  const mailer = createMailer(config, log);
  const providerSettings = createProviderSettings(db, encryption);
  const modelSettings = createModelSettings(db);
  const models = createModels({
    defaultModel: config.models.defaultModel,
    environment: config.models.providers,
    settings: providerSettings,
    modelSettings,
    outbound,
    circuitWindow: config.models.circuit,
    fileBytes: config.limits.modelFileBytes,
    log,
  });
  const prices = createPrices(createPriceStore(db));
  const telemetry = createTelemetry(config.telemetry, log);
  const keys = createApiKeys(db, log);
  const sessions = createSessions(db, encryption, sessionCookieScope(config));
  return {
    config,
    log,
    db,
    reads,
    databaseKind: kind,
    encryption,
    keys,
    sessions,
    models,
    prices,
    providerSettings,
    modelSettings,
    outbound,
    loopbackPrivileges,
    mailer,
    telemetry,
    async close() {
      await telemetry.close();
      await outbound.close();
      await mailer.close();
      await reads.close();
      await db.destroy();
    },
  };
}
