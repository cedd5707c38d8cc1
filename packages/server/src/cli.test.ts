import { rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../test/databases.ts";
import { runCommand, startProcess, temporaryFolder } from "../../../test/process.ts";
import { openDatabase } from "./db/open.ts";

const secret = "a secret of the tests, long enough";
const environmentOf = (database: TestDatabase, dataDir: string): Record<string, string> =>
  database.address.kind === "postgres"
    ? { DATABASE_URL: database.address.url, FOYER_SECRET: secret, FOYER_DATA_DIR: dataDir }
    : { FOYER_DATA_DIR: join(database.address.file, "..") };

onBothDatabases("the command line", (createDatabase) => {
  let database: TestDatabase;
  let folder: ReturnType<typeof temporaryFolder>;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await createDatabase({ isEmpty: true });
    folder = temporaryFolder();
    env = environmentOf(database, folder.path);
  });
  afterEach(async () => {
    folder.remove();
    await database.drop();
  });

  it("migrates once when several processes start concurrently", async () => {
    const runs = await Promise.all(Array.from({ length: 3 }, () => runCommand(["migrate"], env)));
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(Array(3).fill({ code: 0, stderr: "" }));
    const { db } = openDatabase(database.address, () => {});
    expect(await db.selectFrom("agents").selectAll().execute()).toEqual([]);
    await db.destroy();
  });

  it("creates a user and a key that a running server accepts, and revokes it within 5 seconds", async () => {
    const server = await startProcess(env);
    const created = await runCommand(["users", "create", "--email", "Ada@example.com"], env);
    expect(created.stdout).toMatch(/^Created ada@example.com with the password \S{20} on the plan pro\.$/m);
    const again = await runCommand(["users", "create", "--email", "ada@example.com"], env);
    expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("already") });
    const second = await runCommand(["users", "create", "--email", "eve@example.com"], env);
    expect(second.stdout).toContain("on the plan free.");

    const key = (
      await runCommand(["keys", "create", "--email", "ada@example.com", "--name", "laptop"], env)
    ).stdout.trim();
    expect(key).toMatch(/^fyr_[0-9A-Za-z]{46}$/);
    const agents = () => fetch(`${server.url}/agents`, { headers: { authorization: `Bearer ${key}` } });
    expect((await agents()).status).toBe(200);

    const listed = (await runCommand(["keys", "list", "--email", "ada@example.com"], env)).stdout;
    expect(listed).toContain("laptop");
    expect(listed).not.toContain(key);
    const id = listed.slice(0, listed.indexOf(" "));
    expect((await runCommand(["keys", "revoke", "--email", "eve@example.com", "--id", id], env)).code).toBe(1);
    expect((await runCommand(["keys", "revoke", "--email", "ada@example.com", "--id", id], env)).code).toBe(0);
    await expect.poll(async () => (await agents()).status).toBe(401);
    server.kill("SIGTERM");
    await server.exited;
  });
});

describe("the commands", () => {
  it("print their usage", async () => {
    const { code, stderr } = await runCommand(["nonsense"], { FOYER_DATA_DIR: "/nonexistent" });
    expect(code).toBe(1);
    expect(stderr).toMatch(/keys create --email/);
  });

  it("back up a running server, refuse to restore while it runs, and restore after it stopped", async () => {
    const folder = temporaryFolder();
    const env = {
      FOYER_DATA_DIR: join(folder.path, "data"),
      FOYER_ADMIN_EMAIL: "ada@example.com",
      FOYER_ADMIN_PASSWORD: "correct horse battery",
      FOYER_ADMIN_API_KEY: "key-of-the-tests-long-enough",
    };
    let server = await startProcess({ ...env, FOYER_ADMIN_API_KEY: "key-of-the-tests-long-enough" });
    const headers = { authorization: "Bearer key-of-the-tests-long-enough", "content-type": "application/json" };
    const make = async (name: string) => {
      const response = await fetch(`${server.url}/agents`, { method: "POST", headers, body: JSON.stringify({ name }) });
      return (await response.json()).data.id;
    };
    const names = async () => {
      const { data } = await (await fetch(`${server.url}/agents`, { headers })).json();
      return data.map((agent: { name: string }) => agent.name);
    };
    const kept = await make("Kept");
    const backup = join(folder.path, "backup");
    expect(await runCommand(["backup", backup], env)).toMatchObject({ code: 0, stderr: "" });
    expect(statSync(join(backup, "secret")).mode & 0o777).toBe(0o600);
    expect((await runCommand(["backup", backup], env)).stderr).toContain("already contains a backup");
    const ledger = join(folder.path, "ledger.json");
    expect((await runCommand(["ledger", "export", ledger], env)).stdout).toBe(`Exported 0 erasures to ${ledger}.\n`);

    await make("Lost");
    expect(await names()).toEqual(["Kept", "Lost"]);
    const refused = await runCommand(["restore", backup], env);
    expect([refused.code, refused.stderr.trim()]).toEqual([
      1,
      `Process ${server.pid} is using the data folder ${env.FOYER_DATA_DIR}. Stop it first.`,
    ]);
    expect(await names()).toEqual(["Kept", "Lost"]);
    server.kill("SIGKILL");
    await server.exited;

    expect(await runCommand(["restore", backup], env)).toMatchObject({ code: 0, stderr: "" });
    expect(await runCommand(["ledger", "apply", ledger], env)).toMatchObject({ code: 0, stdout: "Applied.\n" });
    server = await startProcess({ ...env, FOYER_ADMIN_API_KEY: "key-of-the-tests-long-enough" });
    expect(await names()).toEqual(["Kept"]);
    const secretOf = await fetch(`${server.url}/agents/${kept}/identity-secret`, { headers });
    expect(secretOf.status).toBe(200);
    server.kill("SIGTERM");
    await server.exited;
    expect((await runCommand(["restore", folder.path], env)).stderr).toContain("There is no backup");
    for (const end of ["-wal", "-shm"]) rmSync(join(env.FOYER_DATA_DIR, `foyer.sqlite${end}`), { force: true });
    writeFileSync(join(env.FOYER_DATA_DIR, "foyer.sqlite"), "damaged");
    const unreadable = await runCommand(["restore", backup], env);
    expect(unreadable.code).toBe(1);
    expect(unreadable.stderr).toMatch(/file is not a database.* move .*foyer\.sqlite-wal/);
    folder.remove();
  });
});
