import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../test/databases.ts";
import { createAgent } from "../../../test/factories.ts";
import { runCommand as runProcess, startProcess, temporaryFolder } from "../../../test/process.ts";
import { startServer } from "../../../test/server.ts";
import { describeErasedAgain, runCommand } from "./commands.ts";
import { openDatabase } from "./db/open.ts";

const secret = "a secret of the tests, long enough";
const createEnvironment = (database: TestDatabase, dataDir: string): Record<string, string> =>
  database.address.kind === "postgres"
    ? { DATABASE_URL: database.address.url, FOYER_SECRET: secret, FOYER_DATA_DIR: dataDir }
    : { FOYER_SECRET: secret, FOYER_DATA_DIR: join(database.address.file, "..") };

onBothDatabases("the command line", (createDatabase) => {
  let database: TestDatabase;
  let folder: ReturnType<typeof temporaryFolder>;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await createDatabase({ isEmpty: true });
    folder = temporaryFolder();
    env = createEnvironment(database, folder.path);
  });
  afterEach(async () => {
    folder.remove();
    await database.drop();
  });

  it.each([["--help"], ["help"], ["keys", "create", "-h"], ["plan", "--help"]])(
    "answers %s with its usage and exit code 0",
    async (...args) => {
      const { code, stdout } = await runProcess(args, env);
      expect(code).toBe(0);
      expect(stdout).toContain("keys create");
    },
  );

  it("migrates once when several processes start concurrently", async () => {
    const runs = await Promise.all(Array.from({ length: 2 }, () => runProcess(["migrate"], env)));
    const done = { code: 0, stdout: "The database is up to date.\n", stderr: "" };
    expect(runs).toEqual([done, done]);
    const { db } = openDatabase(database.address, () => {});
    expect(await db.selectFrom("agents").selectAll().execute()).toEqual([]);
    await db.destroy();
  });

  it("creates users and a key that a running server accepts, revokes it within 5 seconds, and warns of a password in the process list", async () => {
    const runFoyer = (...args: string[]) => runCommand(args, env);
    const server = await startServer({ database });
    const created = await runFoyer("users", "create", "--email", "Ada@example.com");
    expect(created).toMatch(/^Created ada@example.com with the password \S{20} on the pro plan\.$/);
    await expect(runFoyer("users", "create", "--email", "ada@example.com")).rejects.toThrow("already");
    expect(await runFoyer("users", "create", "--email", "eve@example.com")).toMatch(
      /on the free plan\. The user owns a new organization\./,
    );

    const warned = vi.spyOn(console, "error").mockReturnValue();
    await runFoyer("users", "set-password", "--email", "eve@example.com", "--password", "correct horse battery");
    expect(warned.mock.calls.join()).toContain("can see --password in the process list");
    warned.mockRestore();

    const key = await runFoyer("keys", "create", "--email", "ada@example.com", "--name", "laptop");
    expect(key).toMatch(/^fyr_[0-9A-Za-z]{46}$/);
    const headers = { authorization: `Bearer ${key}` };
    const agents = () => server.app.inject({ url: "/agents", headers });
    expect((await agents()).statusCode).toBe(200);

    const listed = await runFoyer("keys", "list", "--email", "ada@example.com");
    expect(listed).toContain("laptop");
    expect(listed).not.toContain(key);
    const id = listed.slice(0, listed.indexOf(" "));
    await expect(runFoyer("keys", "revoke", "--email", "eve@example.com", "--id", id)).rejects.toThrow("no key");
    await runFoyer("keys", "revoke", "--email", "ada@example.com", "--id", id);
    await expect.poll(async () => (await agents()).statusCode).toBe(401);
    await server.stop();
  });
});

describe("the commands", () => {
  it("print their usage", async () => {
    const { code, stderr } = await runProcess(["nonsense"], { FOYER_DATA_DIR: "/nonexistent" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/keys create --email/);
  });

  it("back up a running server, refuse to restore while it runs, and restore after it stopped", async () => {
    const folder = temporaryFolder();
    const key = "key-of-the-tests-long-enough";
    const env = {
      FOYER_DATA_DIR: join(folder.path, "data"),
      FOYER_ADMIN_EMAIL: "ada@example.com",
      FOYER_ADMIN_PASSWORD: "correct horse battery",
      FOYER_ADMIN_API_KEY: key,
    };
    let server = await startProcess(env);
    const call = async (method: "GET" | "POST", path: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(server.url + path, { method, headers, ...sent });
      return { status: response.status, body: await response.json() };
    };
    const names = async () => (await call("GET", "/agents")).body.data.map((agent: { name: string }) => agent.name);
    const foyer = (...args: string[]) => runCommand(args, env);
    const kept = await createAgent({ call }, { name: "Kept" });
    const backup = join(folder.path, "backup");
    expect(await foyer("backup", backup)).toBe(`Backed up to ${backup}.`);
    expect(statSync(join(backup, "secret")).mode & 0o777).toBe(0o600);
    const broken = join(folder.path, "broken");
    mkdirSync(join(broken, "secret"), { recursive: true });
    await expect(foyer("backup", broken)).rejects.toThrow(`The backup could not be written to ${broken}: `);
    expect(readdirSync(broken)).toEqual(["secret"]);
    await expect(foyer("backup", backup)).rejects.toThrow("already contains a backup");
    const ledger = join(folder.path, "ledger.json");
    expect(await foyer("ledger", "export", ledger)).toBe(`Exported 0 erasures to ${ledger}.`);

    const other = join(folder.path, "notes.txt");
    writeFileSync(other, "Do not lose these.");
    await expect(foyer("ledger", "export", other)).rejects.toThrow('is not a file that "ledger export" has written');
    expect(readFileSync(other, "utf8")).toBe("Do not lose these.");

    await createAgent({ call }, { name: "Lost" });
    expect(await names()).toEqual(["Kept", "Lost"]);
    await expect(foyer("restore", backup)).rejects.toThrow(
      `Process ${server.pid} is using the data folder ${env.FOYER_DATA_DIR}. Stop it first.`,
    );
    expect(await names()).toEqual(["Kept", "Lost"]);
    server.kill("SIGKILL");
    await server.exited;

    expect(await foyer("restore", backup)).toMatch(/^Restored\. The previous data is kept in /);
    expect(await foyer("ledger", "apply", ledger)).toBe("Applied.");
    server = await startProcess(env);
    expect(await names()).toEqual(["Kept"]);
    expect((await call("GET", `/agents/${kept}/identity-secret`)).status).toBe(200);
    server.kill("SIGTERM");
    await server.exited;
    await expect(foyer("restore", folder.path)).rejects.toThrow("There is no backup");
    for (const end of ["-wal", "-shm"]) rmSync(join(env.FOYER_DATA_DIR, `foyer.sqlite${end}`), { force: true });
    writeFileSync(join(env.FOYER_DATA_DIR, "foyer.sqlite"), "damaged");
    await expect(foyer("restore", backup)).rejects.toThrow(/file is not a database.* move .*foyer\.sqlite-wal/);
    folder.remove();
  });

  it.each([
    [0, ""],
    [1, " One visitor or conversation that had been erased since the backup was erased again."],
    [2, " 2 visitors and conversations that had been erased since the backup were erased again."],
  ])("after a restore, %i repeated erasures are reported as %j", (erased, text) => {
    expect(describeErasedAgain(erased)).toBe(text);
  });
});
