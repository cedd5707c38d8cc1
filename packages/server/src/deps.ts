import type { Logger } from "pino";
import type { ApiKeys } from "./auth/api-keys.ts";
import type { Sessions } from "./auth/sessions.ts";
import type { Config } from "./config.ts";
import type { BackgroundReads } from "./db/background-reads.ts";
import type { DatabaseKind } from "./db/migrate.ts";
import type { Db } from "./db/open.ts";
import type { LoopbackPrivileges } from "./loopback-privileges.ts";
import type { Models } from "./models/choose-model.ts";
import type { Outbound } from "./outbound/guarded-request.ts";
import type { Mailer } from "./outbound/send-email.ts";
import type { ProviderSettings } from "./providers/provider-settings.ts";
import type { Secrets } from "./root-secret.ts";

/** What the whole server shares; made in main.ts (or by a test) and handed down. */
export type Deps = {
  config: Config;
  log: Logger;
  db: Db;
  /** for reads whose duration grows with what is stored */
  reads: BackgroundReads;
  databaseKind: DatabaseKind;
  secrets: Secrets;
  keys: ApiKeys;
  sessions: Sessions;
  models: Models;
  providerSettings: ProviderSettings;
  outbound: Outbound;
  loopbackPrivileges: LoopbackPrivileges;
  mailer: Mailer;
};
