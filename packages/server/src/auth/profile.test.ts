import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { startServer, type TestServer } from "../../../../test/server.ts";
import { createMember, createOwner, signedInBrowser } from "../../../../test/session-client.ts";

onBothDatabases("names of people and organizations", (createDatabase) => {
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

  it("let an admin rename the organization, and no other one", async () => {
    const owner = await createOwner(server);
    const other = await createOwner(server);
    const admin = await createMember(server, owner.organizationId, "admin");
    const browser = await signedInBrowser(server, admin.email);
    const { status, body } = await browser.call("PATCH", "/organization", { name: " Harbour Bikes " });
    expect([status, body]).toEqual([200, { id: owner.organizationId, name: "Harbour Bikes", plan: "pro" }]);
    expect((await browser.call("GET", "/auth/session")).body.organization.name).toBe("Harbour Bikes");
    const elsewhere = await signedInBrowser(server, other.email);
    expect((await elsewhere.call("GET", "/auth/session")).body.organization.name).toBe("My organization");
  });

  it("do not let a member rename the organization", async () => {
    const owner = await createOwner(server);
    const member = await createMember(server, owner.organizationId, "member");
    const browser = await signedInBrowser(server, member.email);
    expect((await browser.call("PATCH", "/organization", { name: "Mine" })).status).toBe(403);
  });

  it("let a user change their own name", async () => {
    const { email } = await createOwner(server);
    const browser = await signedInBrowser(server, email);
    const { status, body } = await browser.call("PATCH", "/auth/profile", { name: "Ada Lovelace" });
    expect([status, body.user.name]).toEqual([200, "Ada Lovelace"]);
    expect((await browser.call("GET", "/members")).body[0].name).toBe("Ada Lovelace");
  });

  it.each(["https://evil.example/unlock", "Bank\nYour account is locked", "a".repeat(61), " "])(
    "refuse %j as a name",
    async (name) => {
      const browser = await signedInBrowser(server, (await createOwner(server)).email);
      for (const url of ["/organization", "/auth/profile"]) {
        const { status, body } = await browser.call("PATCH", url, { name });
        expect([status, body.error.details[0].path]).toEqual([400, "name"]);
      }
    },
  );
});
