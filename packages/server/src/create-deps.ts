import { existsSync } from "node:fs";
import { loadEnvFile } from "node:process";
import { pino } from "pino";
import { createApiKeys } from "./auth/api-keys/api-keys.ts";
import { createSessions } from "./auth/sessions/sessions.ts";
import { type Config, readConfig } from "./config.ts";
import { createBackgroundReads } from "./db/background-reads.ts";
import { openDatabase } from "./db/open.ts";
import type { Deps } from "./deps.ts";
import { createEncryption, loadOrCreateSecret } from "./encryption.ts";
import { createLoopbackPrivileges } from "./loopback-privileges.ts";
import { createModels } from "./models/choose-model.ts";
import { createOutbound } from "./outbound/guarded-request.ts";
import { createMailer } from "./outbound/send-email.ts";
import { createProviderSettings } from "./providers/provider-settings.ts";
import { createTerminalLog } from "./terminal-log.ts";

/** Reads `.env` in the working directory if it exists. Variables that are already set take precedence. */
export function loadDotEnv(): void {
  if (existsSync(".env")) loadEnvFile(".env");
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
  const encryption = createEncryption(config.secret ?? loadOrCreateSecret(config.dataDir));
  const database = openDatabase(config.database, (error) => log.warn({ err: error }, "database connection lost"));
  const { db, kind } = database;
  const reads = createBackgroundReads(database);
  const loopbackPrivileges = createLoopbackPrivileges(config.isLoopbackOnly, log);
  const outbound = createOutbound({ allowPrivate: loopbackPrivileges.areGranted, allow: config.outboundAllow });
  const mailer = createMailer(config, log);
  const providerSettings = createProviderSettings(db, encryption);
  const models = createModels({
    defaultModel: config.models.defaultModel,
    environment: config.models.providers,
    settings: providerSettings,
    outbound,
    log,
  });
  const keys = createApiKeys(db, log);
  const sessions = createSessions(db, encryption, config.baseUrl.startsWith("https:"));
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
    providerSettings,
    outbound,
    loopbackPrivileges,
    mailer,
    async close() {
      await outbound.close();
      await mailer.close();
      await reads.close();
      await db.destroy();
    },
  };
}
