import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { BackgroundReads } from "./db/background-reads.ts";
import type { DatabaseKind } from "./db/database-kind.ts";
import type { Db } from "./db/open.ts";
import type { Encryption } from "./encryption.ts";
import type { LoopbackPrivileges } from "./loopback-privileges.ts";
import type { Models } from "./models/choose-model.ts";
import type { Prices } from "./models/prices/service.ts";
import type { Outbound } from "./outbound/guarded-request.ts";
import type { Mailer } from "./outbound/send-email.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

/**
 * The dependencies that the whole server shares. They are created in create-deps.ts, or by a test, and passed down. A
 * dependency of a single resource belongs to that resource: see auth/auth-deps.ts.
 */
export type Deps = {
  config: Config;
  log: Logger;
  db: Db;
  /** For reads whose duration grows with the stored data. */
  reads: BackgroundReads;
  databaseKind: DatabaseKind;
  encryption: Encryption;
  models: Models;
  prices: Prices;
  outbound: Outbound;
  loopbackPrivileges: LoopbackPrivileges;
  mailer: Mailer;
  telemetry: Telemetry;
};
