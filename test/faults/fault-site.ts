import { cpSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { SubmitResult } from "@foyer/contract";
import { type NotNull, sql } from "kysely";
import { createAccount } from "../../packages/server/src/auth/account-store.ts";
import { insertKey } from "../../packages/server/src/auth/api-keys/store.ts";
import { databaseNow } from "../../packages/server/src/db/database-clock.ts";
import { migrate } from "../../packages/server/src/db/migrate.ts";
import { type Db, openDatabase } from "../../packages/server/src/db/open.ts";
import { newId } from "../../packages/server/src/ids.ts";
import { createPostgres, createSqlite, type TestDatabase, withClient } from "../databases.ts";
import { startProcess, temporaryFolder } from "../process.ts";
import { startServer } from "../server.ts";
import { startReceiver } from "../webhook-receiver.ts";

export type ServerProcess = Awaited<ReturnType<typeof startProcess>>;
/** A server to call, in its own process or in that of the test. */
export type Server = { url: string };
export type FaultSite = Awaited<ReturnType<typeof createFaultSite>>;
export type DatabaseName = "SQLite" | "PostgreSQL";
type ServerProcessOptions = Parameters<typeof startProcess>[1] & { env?: Record<string, string> };

const key = "key-of-the-tests-long-enough";
/** The headers of a request with the organization's key. */
export const authorized = { authorization: `Bearer ${key}` };
const json = { "content-type": "application/json" };
const preloads = { kill: "kill-at-failpoint.ts", print: "print-failpoints.ts", clock: "shifted-clock.ts" };

/** The application name of the tests' own connections to PostgreSQL. */
const OWN_NAME = "foyer-tests";
/** A time that exceeds the duration of any lease. */
const HOUR_MS = 3_600_000;

/** Test modules that are preloaded into a server. */
export const preload = (...names: Array<keyof typeof preloads>) =>
  names.map((name) => join(import.meta.dirname, "..", preloads[name]));

/**
 * A database with an owner and a key, a receiver, and servers that start and die during the test. An attempt has 10 s,
 * and `env` overrides other settings. A given `database` is used and not dropped.
 */
export async function createFaultSite(kind: DatabaseName | TestDatabase, env: Record<string, string> = {}) {
  const created = typeof kind === "string" ? await (kind === "SQLite" ? createSqlite() : createPostgres()) : null;
  const { address } = created ?? (kind as TestDatabase);
  const folder = temporaryFolder();
  const receiver = await startReceiver();
  const processes: ServerProcess[] = [];
  const ownUrl = address.kind === "postgres" ? withParameter(address.url, "application_name", OWN_NAME) : null;
  const { db } = openDatabase(ownUrl ? { kind: "postgres", url: ownUrl } : address, () => {});
  await migrate({ db, kind: address.kind });
  await insertOwner(db);
  const database =
    address.kind === "postgres"
      ? { DATABASE_URL: address.url, FOYER_DATA_DIR: folder.path }
      : { FOYER_DATA_DIR: dirname(address.file) };
  /** Applies this function to each connection of the servers to PostgreSQL. @returns their number */
  const connections = (doing: string) =>
    withClient(ownUrl ?? "", async (client) => {
      const servers = `from pg_stat_activity where datname = current_database() and application_name <> '${OWN_NAME}'`;
      return (await client.query(`select ${doing} ${servers} and backend_type = 'client backend'`)).rows.length;
    });

  return {
    db,
    address,
    receiver,
    /** the server's data directory */
    folder: database.FOYER_DATA_DIR,
    /** Starts a server. @throws when it dies before it prints its address */
    async start({ env: more, ...options }: ServerProcessOptions = {}): Promise<ServerProcess> {
      const serverProcess = await startProcess({ ...common, ...database, ...env, ...more }, options);
      processes.push(serverProcess);
      return serverProcess;
    },
    /**
     * Starts a server in the test's own process for as long as `work` takes, in a tenth of the time. It prepares data
     * for server processes, or finishes the work that they left.
     */
    async serveHere<T>(work: (server: Server) => Promise<T>): Promise<T> {
      const shared = { address, drop: async () => {} };
      const server = await startServer({ database: shared, env: { ...common, ...env }, listen: true });
      return work(server).finally(server.stop);
    },
    /**
     * Simulates that an hour has passed: every lease of a delivery or a bot has expired, as have all waits for another
     * attempt that are shorter.
     */
    async endLeases(): Promise<void> {
      await db
        .updateTable("deliveries")
        .set((x) => ({ dueAt: x("dueAt", "-", HOUR_MS) }))
        .where("state", "=", "pending")
        .execute();
      await db
        .updateTable("teamChats")
        .set((x) => ({ dueAt: x("dueAt", "-", HOUR_MS) }))
        .execute();
    },
    /** Adds submissions like this one. Each is due after `dueInMs` at `url`, by default the original address. */
    async addJobs(like: string, count: number, { url, dueInMs = 0 }: { url?: string; dueInMs?: number } = {}) {
      const one = await db.selectFrom("submissions").selectAll().where("id", "=", like).executeTakeFirstOrThrow();
      const deliveries = db.selectFrom("deliveries").selectAll().where("submissionId", "=", like);
      const { fence: _, ...delivery } = await deliveries.where("position", "=", 0).executeTakeFirstOrThrow();
      const ids = Array.from({ length: count }, () => newId("sub"));
      const where = url ? { target: JSON.stringify({ url }), host: new URL(url).host } : {};
      // All of them become due at the same moment. The number of rows per statement stays within the databases' limits
      // for parameters.
      await db.transaction().execute(async (trx) => {
        for (let from = 0; from < count; from += 1_000) {
          const some = ids.slice(from, from + 1_000);
          const submissions = some.map((id) => ({ ...one, id, formInstanceId: id, status: "pending" as const }));
          await trx.insertInto("submissions").values(submissions).execute();
          const job = { ...delivery, ...where, state: "pending" as const, attempts: 0, attemptsBefore: 0, fence: 0 };
          await trx
            .insertInto("deliveries")
            .values((x) =>
              some.map((submissionId) => ({
                ...job,
                id: newId("delivery"),
                submissionId,
                dueAt: x(databaseNow(address.kind), "+", x.lit(dueInMs)),
              })),
            )
            .execute();
        }
      });
      return ids;
    },
    /** A submission's status and all of its delivery attempts. */
    async outcome(submissionId: string) {
      const { status } = await db
        .selectFrom("submissions")
        .select("status")
        .where("id", "=", submissionId)
        .executeTakeFirstOrThrow();
      const attempts = await db
        .selectFrom("deliveryAttempts")
        .innerJoin("deliveries", "deliveries.id", "deliveryAttempts.deliveryId")
        .select(["deliveryAttempts.status", "deliveryAttempts.error"])
        .where("submissionId", "=", submissionId)
        .orderBy("number")
        .execute();
      return { status, attempts };
    },
    /** The submissions with an unfinished delivery, and the milliseconds until each is due. */
    async open(): Promise<Array<{ submissionId: string; dueInMs: number; fence: number }>> {
      return db
        .selectFrom("deliveries")
        .select((x) => ["submissionId", "fence", x("dueAt", "-", databaseNow(address.kind)).as("dueInMs")])
        .$narrowType<{ submissionId: NotNull }>()
        .where("state", "in", ["pending", "waiting"])
        .execute();
    },
    /** Checks every page of an SQLite file. @throws after copying a damaged one to a folder that is kept */
    async requireIntact(): Promise<void> {
      if (address.kind === "sqlite") await requireIntact(db, address.file);
    },
    /**
     * PostgreSQL may still commit the transaction of a killed process. Resolves when no connection of a killed process
     * is left.
     */
    async allGone(): Promise<void> {
      while (ownUrl && (await connections("pid")) > 0) await wait(5);
    },
    /** Ends the servers' connections to PostgreSQL. */
    async cutOff(): Promise<void> {
      if (ownUrl) await connections("pg_terminate_backend(pid)");
    },
    async remove(): Promise<void> {
      for (const serverProcess of processes) serverProcess.kill("SIGCONT");
      for (const serverProcess of processes) serverProcess.kill("SIGKILL");
      await Promise.all(processes.map(({ exited }) => exited));
      await db.destroy();
      await receiver.stop();
      await created?.drop();
      folder.remove();
    },
  };
}

async function requireIntact(db: Db, file: string): Promise<void> {
  const check = sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
  const [found, ...more] = await check.then(
    ({ rows }) => rows.map((row) => row.integrity_check),
    (error: unknown) => [String(error)],
  );
  if (found === "ok" && more.length === 0) return;
  // Copying drops the locks that this process has on the file, but the test ends here.
  const { path } = temporaryFolder();
  cpSync(dirname(file), path, { recursive: true });
  throw new Error(`The database is damaged, see ${path}: ${[found, ...more].join("; ")}`);
}

function withParameter(address: string, name: string, value: string): string {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
}

/** Limits that the tests would reach, because all of their clients have the same address and never pause. */
const limits = [
  "API_PRO",
  "ATTACHMENTS_PER_VISITOR",
  "ATTACHMENTS_PER_IP",
  "ATTACHMENT_BYTES_PER_DAY",
  "ATTACHMENT_BYTES_PER_IP",
  "SUBMIT_PER_IP",
  "SUBMISSION_BYTES_PER_DAY",
  "CHAT_PER_IP",
  "CHAT_PER_SESSION",
  "HANDOFF_PER_IP",
  "RATING_PER_IP",
  "HANDOFF_ANNOUNCEMENTS",
  "RUNNING_PER_IP",
  "STREAMS_PER_IP",
  "EVENTS_PER_IP",
  "SIGN_IN_PER_ADDRESS",
  "SIGN_IN_PER_IP",
  "VISITOR_TOKENS_PER_DAY",
  "ADDRESS_TOKENS_PER_DAY",
];

const common = {
  FOYER_SECRET: "a secret of the tests, long enough",
  FOYER_LOG_LEVEL: "silent",
  FOYER_WEBHOOK_TIMEOUT: "10s",
  ...Object.fromEntries(limits.map((name) => [`FOYER_LIMIT_${name}`, "0"])),
};

/**
 * Whether to retry the request: a server that has just started on a busy machine may reject it (503), and a client may
 * need too long to send it (408).
 */
export const isBusy = (status: number) => status === 503 || status === 408;

export const owner = { email: "ada@example.com", password: "correct horse battery" };

/**
 * The test inserts the owner, because a server that creates its owner from the configuration hashes the password at
 * every start.
 */
async function insertOwner(db: Db): Promise<void> {
  const { userId, organizationId } = await createAccount(db, { ...owner, plan: "pro" });
  await insertKey(db, { organizationId, createdBy: userId, name: "Tests", key, expiresAt: null });
}

/** Calls a route with the organization's key. */
export async function call<T>({ url }: Server, method: string, path: string, body?: object): Promise<T> {
  const headers = { ...authorized, ...(body ? json : {}) };
  const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  if (isBusy(response.status)) return wait(200).then(() => call<T>({ url }, method, path, body));
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}

/** A form that is delivered to this URL, if any, and then to those of its post actions. @returns its id */
export async function createForm(server: Server, formWebhookUrl?: string, actions: string[] = []): Promise<string> {
  const agent = await call<{ data: { id: string } }>(server, "POST", "/agents", { name: "Harbour" });
  const form = await call<{ id: string }>(server, "POST", "/tools", {
    agentId: agent.data.id,
    name: "contact",
    description: "Asks",
    inputSchema: { type: "object" },
    executionType: "form",
    formSchema: { fields: [{ name: "name", label: "Name", type: "text" }] },
    formWebhookUrl,
    formPostActions: actions.map((url) => ({ type: "webhook", url })),
  });
  return form.id;
}

/** Submits once. @throws when there is no response */
export async function submitOnce({ url }: Server, toolId: string, idempotencyKey?: string) {
  const headers = { ...json, ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}) };
  const body = JSON.stringify({ toolId, formData: { name: "Ada" }, fieldsCompleted: ["name"] });
  const response = await fetch(`${url}/form-submissions/submit`, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as SubmitResult };
}

/** Submits, and retries the request while the server is overloaded. @throws TypeError when there is no response */
export async function submit(server: Server, toolId: string, idempotencyKey?: string): Promise<SubmitResult> {
  const { status, body } = await submitOnce(server, toolId, idempotencyKey);
  if (isBusy(status)) return wait(200).then(() => submit(server, toolId, idempotencyKey));
  if (status !== 200) throw new Error(`submitting: ${status} ${JSON.stringify(body)}`);
  return body;
}

type UploadQuery = { agentId: string; externalKey: string; name: string };

/** Uploads a document. @throws TypeError when there is no response */
export async function upload(server: Server, query: UploadQuery, content: string): Promise<{ id: string }> {
  const headers = { ...authorized, "content-type": "application/octet-stream" };
  const url = `${server.url}/documents/upload?${new URLSearchParams(query)}`;
  const response = await fetch(url, { method: "POST", headers, body: content });
  const text = await response.text();
  if (isBusy(response.status)) return wait(200).then(() => upload(server, query, content));
  if (!response.ok) throw new Error(`uploading: ${response.status} ${text}`);
  return JSON.parse(text);
}
