import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { DAY_MS } from "@foyer/contract/rules/time";
import { folderUsage, isFolderCommand, runFolderCommandLine } from "./agent-folders/folder-commands.ts";
import { createAccount, findMember, hasAccounts, setPassword, setPlan } from "./auth/account-store.ts";
import { generateKey } from "./auth/api-keys/key-format.ts";
import { deleteKey, insertKey, listKeys } from "./auth/api-keys/store.ts";
import { type Config, planIds } from "./config.ts";
import { parseEmail as readEmail } from "./config-values.ts";
import { createDeps, loadDotEnv, readEnvironment } from "./create-deps.ts";
import { migrate } from "./db/migrate.ts";
import { backUp, PREVIOUS_DATA_DAYS } from "./db/sqlite/backup.ts";
import { lockDataFolder } from "./db/sqlite/data-folder-lock.ts";
import { readPassword } from "./read-password.ts";
import { restoreBackup, unreadableLedgerError, verifyBackup } from "./restore-backup.ts";
import { applyRestoreLedger, readLedgerFile, readRestoreLedger, writeLedgerFile } from "./restore-ledger.ts";
import { checkSecret, requireDatabaseOfSecret, requireSecretOfDatabase } from "./secret-check.ts";
import { eraseAgain } from "./visitors/erase-again.ts";

const usage = `npm run foyer -- <command>

  keys create --email you@example.com [--name laptop] [--expires 90]   print a new API key (--expires in days)
  keys list --email you@example.com
  keys revoke --email you@example.com --id key_…
  users create --email you@example.com [--plan pro]                   print a generated password; the first user owns the server
  users set-password --email you@example.com                          read the new password from the terminal or standard input
  users set-plan --email you@example.com --plan free|starter|growth|pro
  migrate                                                             update the database schema
  backup <folder> [--verify]                                          SQLite only; the server may keep running; --verify tries to restore it
  restore <folder>                                                    SQLite only; stop the server first; erases erased visitors again
  ledger export <file>                                                save what a restored backup must not undo (as private as a backup)
  ledger apply <file>                                                 after pg_restore, before the servers start: erase erased visitors again
${folderUsage}`;

type Options = {
  email?: string;
  password?: string;
  name?: string;
  plan?: string;
  id?: string;
  expires?: string;
  verify?: boolean;
};
type Context = { deps: ReturnType<typeof createDeps>; options: Options; argument: string | undefined };

const commands: Record<string, (context: Context) => Promise<string>> = {
  "keys create": createKey,
  "keys list": showKeys,
  "keys revoke": revokeKey,
  "users create": createUser,
  "users set-password": changePassword,
  "users set-plan": changePlan,
  migrate: async () => "The database is up to date.",
  backup: async ({ deps, options, argument }) => {
    const folder = requireOption(argument, "a folder to write to");
    await backUp(requireSqliteFile(deps), deps.config.dataDir, folder);
    if (!options.verify) return `Backed up to ${folder}.`;
    return `Backed up to ${folder} and verified: ${await verifyBackup({ config: deps.config, open: createOpener(deps) }, folder)}.`;
  },
  restore: async ({ deps, argument }) => {
    const folder = requireOption(argument, "the folder of a backup");
    const { kept, erased } = await restoreBackup(
      deps,
      { config: deps.config, file: requireSqliteFile(deps), open: createOpener(deps), eraseAgain },
      folder,
    );
    return `Restored.${describeErasedAgain(erased)} The previous data is kept in ${kept} for ${PREVIOUS_DATA_DAYS} days. Rename the folder to keep it longer.`;
  },
  "ledger export": async ({ deps, argument }) => {
    const file = requireOption(argument, "a file to write to");
    const ledger = await readRestoreLedger(deps.db);
    writeLedgerFile(file, ledger, deps.encryption);
    const { length } = ledger.erasures;
    return `Exported ${length} ${length === 1 ? "erasure" : "erasures"} to ${file}.`;
  },
  "ledger apply": async ({ deps, argument }) => {
    const ledger = readLedgerFile(requireOption(argument, "a file that ledger export has written"), deps.encryption);
    const erased = await applyRestoreLedger(deps, ledger, { encryption: deps.encryption, erase: eraseAgain });
    return `Applied.${describeErasedAgain(erased)}`;
  },
};
/** Commands that require that no other process uses the data folder. */
const exclusive: ReadonlySet<string> = new Set(["restore", "ledger apply"]);
/**
 * Commands that must not change the schema, because they replace the database or a server of another version may use
 * it.
 */
const unmigrated: ReadonlySet<string> = new Set(["restore", "ledger export"]);

/** Runs the command of the command line. Prints the result, or the error with exit code 1. */
export async function runCommandLine(): Promise<void> {
  try {
    loadDotEnv();
    const args = process.argv.slice(2);
    if (args[0] === "help" || args.some((arg) => arg === "--help" || arg === "-h")) return console.log(usage);
    if (isFolderCommand(args)) return await runFolderCommandLine(args);
    console.log(await runCommand(args, process.env));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}

/** @returns what the command prints. @throws an Error whose message is for the operator */
export async function runCommand(args: string[], environment: NodeJS.ProcessEnv): Promise<string> {
  const { values, positionals } = parse(args);
  const [group = "", action = "", third] = positionals;
  const name = `${group} ${action}` in commands ? `${group} ${action}` : group;
  const command = commands[name];
  if (!command) throw new Error(usage);
  const { config, log } = readEnvironment({ FOYER_LOG_LEVEL: "warn", ...environment });
  // A running server would keep writing to the file that a restore replaces.
  const isExclusive = exclusive.has(name) && config.database.kind === "sqlite";
  const releaseLock = isExclusive ? lockDataFolder(config.dataDir) : () => {};
  if (name !== "restore") {
    requireDatabaseOfSecret(config);
    requireSecretOfDatabase(config);
  }
  const deps = name === "restore" ? openToRestore(config, log) : createDeps(config, log);
  try {
    if (!unmigrated.has(name)) {
      await migrate({ db: deps.db, kind: deps.databaseKind });
      await checkSecret(deps);
    }
    return await command({ deps, options: values, argument: name === group ? action || undefined : third });
  } finally {
    await deps.close();
    releaseLock();
  }
}

function parse(args: string[]) {
  const text = { type: "string" } as const;
  const options = {
    email: text,
    password: text,
    name: text,
    plan: text,
    id: text,
    expires: text,
    verify: { type: "boolean" } as const,
  };
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
  }
}

async function createKey({ deps, options }: Context) {
  const { organizationId, userId } = await requireMember(deps, options);
  const key = generateKey();
  const days = options.expires === undefined ? null : Number(options.expires);
  if (days !== null && !(days > 0)) throw new Error("--expires takes a number of days.");
  const expiresAt = days === null ? null : Date.now() + days * DAY_MS;
  await insertKey(deps.db, { organizationId, createdBy: userId, name: options.name ?? "Command line", key, expiresAt });
  return key;
}

async function showKeys({ deps, options }: Context) {
  const { organizationId } = await requireMember(deps, options);
  const formatDate = (at: number | null) => (at === null ? "never" : new Date(at).toISOString());
  const rows = await listKeys(deps.db, organizationId);
  return rows
    .map(
      (key) =>
        `${key.id}  ${key.start}…  ${key.name}  last used ${formatDate(key.lastUsedAt)}  expires ${formatDate(key.expiresAt)}`,
    )
    .join("\n");
}

async function revokeKey({ deps, options }: Context) {
  const { organizationId } = await requireMember(deps, options);
  if (!(await deleteKey(deps.db, organizationId, requireOption(options.id, "--id"))))
    throw new Error("There is no key with this id.");
  return "Revoked. Running servers reject it within 5 seconds.";
}

async function createUser({ deps, options }: Context) {
  const email = readEmail(requireOption(options.email, "--email"));
  if (await findMember(deps.db, email)) throw new Error(`A user with the address ${email} already exists.`);
  if (options.password !== undefined) warnOfFlag();
  const password = options.password ?? randomBytes(15).toString("base64url");
  checkPassword(password);
  const isFirst = !(await hasAccounts(deps.db));
  const plan = options.plan ? requireKnownPlan(options.plan) : isFirst ? "pro" : deps.config.defaultPlan;
  await createAccount(deps.db, { email, password, plan });
  const shown = options.password === undefined ? ` with the password ${password}` : "";
  const created = `Created ${email}${shown} on the ${plan} plan.`;
  if (isFirst) return created;
  return `${created} The user owns a new organization. To add someone to an existing one, invite them under Settings > Members.`;
}

async function changePassword({ deps, options }: Context) {
  const { userId } = await requireMember(deps, options);
  if (options.password !== undefined) warnOfFlag();
  const password = options.password ?? (await readPassword());
  checkPassword(password);
  await setPassword(deps.db, userId, password);
  return "Password changed. All of this user's sessions were ended.";
}

async function changePlan({ deps, options }: Context) {
  const { organizationId } = await requireMember(deps, options);
  const plan = requireKnownPlan(requireOption(options.plan, "--plan"));
  await setPlan(deps.db, organizationId, plan);
  return `The plan is ${plan}.`;
}

async function requireMember(deps: Context["deps"], { email }: Options) {
  const address = requireOption(email, "--email");
  const found = await findMember(deps.db, address);
  if (!found)
    throw new Error(
      `There is no user with the address ${address}. Create one: npm run foyer -- users create --email ${address}`,
    );
  return found;
}

function requireOption(value: string | undefined, what: string): string {
  if (!value) throw new Error(`Missing: ${what}.\n\n${usage}`);
  return value;
}

function warnOfFlag() {
  console.error("Warning: other users of this machine can see --password in the process list. Omit it to be prompted.");
}

function checkPassword(password: string) {
  if (password.length < 12) throw new Error("The password must have at least 12 characters.");
}

function requireKnownPlan(plan: string) {
  if (!planIds.some((known) => known === plan)) throw new Error(`The plans are ${planIds.join(", ")}.`);
  return plan;
}

/** Opens the data that a restore replaces. A damaged file already fails here. */
function openToRestore(config: Config, log: Context["deps"]["log"]) {
  try {
    return createDeps(config, log);
  } catch (error) {
    const { code } = error as { code?: unknown };
    const isDamaged = code === "SQLITE_NOTADB" || code === "SQLITE_CORRUPT";
    throw isDamaged && config.database.kind === "sqlite" ? unreadableLedgerError(error, config.database.file) : error;
  }
}

/** Opens the data of another configuration with the log of the command. */
function createOpener({ log }: Context["deps"]) {
  return (config: Context["deps"]["config"]) => createDeps(config, log);
}

/** Each erased visitor and each erased conversation counts as one. */
export function describeErasedAgain(erased: number): string {
  if (erased === 0) return "";
  return erased === 1
    ? " One visitor or conversation that had been erased since the backup was erased again."
    : ` ${erased} visitors and conversations that had been erased since the backup were erased again.`;
}

function requireSqliteFile({ config }: Context["deps"]): string {
  if (config.database.kind === "sqlite") return config.database.file;
  throw new Error("This command works with SQLite only. For PostgreSQL, use pg_dump and pg_restore.");
}
