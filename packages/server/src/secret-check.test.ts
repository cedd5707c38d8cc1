import { readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../test/databases.ts";
import { startProcess, temporaryFolder } from "../../../test/process.ts";
import { startServer } from "../../../test/server.ts";
import { runCommand } from "./commands.ts";
import { createEncryption } from "./encryption.ts";
import { checkSecret } from "./secret-check.ts";

describe("the start with files of another installation", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let data: string;
  beforeEach(async () => {
    folder = temporaryFolder();
    data = join(folder.path, "data");
    const server = await startProcess({ FOYER_DATA_DIR: data });
    server.kill("SIGTERM");
    await server.exited;
  });
  afterEach(() => folder.remove());

  const secret = () => join(data, "secret");
  const database = () => join(data, "foyer.sqlite");
  const removeDatabase = () => {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${database()}${end}`, { force: true });
  };
  const foreign = "a secret of another server, long enough";

  type Case = { title: string; damage?: () => void; env?: Record<string, string>; message: () => string };
  const cases: Case[] = [
    { title: "the secret is missing", damage: () => rmSync(secret()), message: () => `there is no file ${secret()}` },
    {
      title: "the secret is another one",
      damage: () => writeFileSync(secret(), foreign),
      message: () => `The file ${secret()} is not the secret`,
    },
    {
      title: "FOYER_SECRET is another one",
      env: { FOYER_SECRET: foreign },
      message: () => "FOYER_SECRET is not the secret",
    },
    { title: "the database is missing", damage: removeDatabase, message: () => `${database()} is missing or empty` },
    {
      title: "the database is empty",
      damage() {
        removeDatabase();
        writeFileSync(database(), "");
      },
      message: () => `${database()} is missing or empty`,
    },
  ];
  it.each(cases)("stops with the name of the file or variable when $title", async ({ damage, env, message }) => {
    damage?.();
    await expect(startProcess({ FOYER_DATA_DIR: data, ...env })).rejects.toThrow(message());
  });

  it("creates no other secret for a database that has lost its own, and works again with it", async () => {
    const kept = join(folder.path, "kept");
    renameSync(secret(), kept);
    await expect(startProcess({ FOYER_DATA_DIR: data })).rejects.toThrow("exit 1");
    expect(readdirSync(data)).not.toContain("secret");
    renameSync(kept, secret());
    const server = await startProcess({ FOYER_DATA_DIR: data });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    server.kill("SIGTERM");
    await server.exited;
  });

  it.each(["backup", "migrate", "ledger export"])("stops %s without a secret, and creates none", async (name) => {
    rmSync(secret());
    const command = runCommand([...name.split(" "), join(folder.path, "target")], { FOYER_DATA_DIR: data });
    await expect(command).rejects.toThrow(`there is no file ${secret()}`);
    expect(readdirSync(data)).not.toContain("secret");
  });

  it("also stops a backup with another secret", async () => {
    writeFileSync(secret(), foreign);
    const command = runCommand(["backup", join(folder.path, "target")], { FOYER_DATA_DIR: data });
    await expect(command).rejects.toThrow(`The file ${secret()} is not the secret`);
  });

  it("also stops the commands that would create a database beside a secret", async () => {
    removeDatabase();
    const command = runCommand(["migrate"], { FOYER_DATA_DIR: data });
    await expect(command).rejects.toThrow(`${database()} is missing or empty`);
  });
});

onBothDatabases("the check of the secret", (createDatabase) => {
  let testDatabase: TestDatabase;
  let server: Awaited<ReturnType<typeof startServer>>;
  beforeEach(async () => {
    testDatabase = await createDatabase();
    server = await startServer({ database: testDatabase });
  });
  afterEach(async () => {
    await server.stop();
    await testDatabase.drop();
  });

  const foreign = () => ({ ...server.deps, encryption: createEncryption("a secret of another server, long enough") });

  it("accepts the same secret again and refuses another one", async () => {
    await checkSecret(server.deps);
    await expect(checkSecret(server.deps)).resolves.toBeUndefined();
    await expect(checkSecret(foreign())).rejects.toThrow("FOYER_SECRET is not the secret");
  });

  it("refuses another secret for agents of a version that stored no check", async () => {
    const { call } = await server.createAccount();
    await call("POST", "/agents", { name: "Harbour" });
    await expect(checkSecret(foreign())).rejects.toThrow("FOYER_SECRET is not the secret");
    await expect(checkSecret(server.deps)).resolves.toBeUndefined();
  });
});
