import { getMigrations } from "better-auth/db/migration";
import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../../test/server.ts";
import { createAccountMails } from "./account-mails.ts";
import { createSignInLibrary } from "./library.ts";

onBothDatabases("better-auth", (createDatabase) => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createDatabase();
    server = await startServer({ database });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it("finds its tables and columns as our migrations create them", async () => {
    const { options } = createSignInLibrary(server.deps, createAccountMails(server.deps));
    const { toBeCreated, toBeAdded } = await getMigrations(options);
    expect(toBeCreated).toEqual([]);
    expect(toBeAdded).toEqual([]);
  });

  it("writes nothing to the console and sends no telemetry", async () => {
    const { options, $context } = createSignInLibrary(server.deps, createAccountMails(server.deps));
    expect(options.telemetry).toEqual({ enabled: false });
    expect((await $context).options.baseURL).toBe("http://localhost:3000");
  });
});
