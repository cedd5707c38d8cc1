import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { joinText, openChat, openStream } from "./chat-client.ts";
import { createPostgres, type TestDatabase, withClient } from "./databases.ts";
import { type DocumentClient, openDocuments } from "./document-client.ts";
import { createTool } from "./factories.ts";
import { findPgBouncer, startPgBouncer } from "./pgbouncer.ts";
import { startServer, type TestServer } from "./server.ts";
import { chunk, eventStream, startUpstream, type Upstream } from "./upstream.ts";
import { startReceiver } from "./webhook-receiver.ts";

/** Fewer connections than two servers use at the same time, so that the servers share connections in every test. */
const POOL_SIZE = 3;

const program = findPgBouncer();

if (program === null) {
  it("Foyer works through PgBouncer: not tested here, because PgBouncer is not installed", () => {
    console.warn("To test Foyer through PgBouncer, install it: apt-get install pgbouncer");
  });
} else {
  describe("through PgBouncer in transaction mode", () => describeThroughPgBouncer(program));
}

function describeThroughPgBouncer(path: string) {
  let database: TestDatabase;
  let bouncer: Awaited<ReturnType<typeof startPgBouncer>>;
  let upstream: Upstream;
  let here: DocumentClient;
  let there: TestServer;

  beforeAll(async () => {
    database = await createPostgres({ isEmpty: true });
    if (database.address.kind !== "postgres") throw new Error("This test needs PostgreSQL.");
    bouncer = await startPgBouncer(path, { url: inject("postgresUrl"), poolSize: POOL_SIZE });
    upstream = await startUpstream();
    const pooled = { ...database, address: { kind: "postgres" as const, url: bouncer.through(database.address.url) } };
    const env = { OPENAI_COMPATIBLE_BASE_URL: upstream.url, FOYER_DEFAULT_MODEL: "openai-compatible/test" };
    // Both servers migrate the empty database.
    [here, there] = await Promise.all([
      openDocuments({ database: pooled, env, listen: true }),
      startServer({ database: pooled, env, listen: true }),
    ]);
  });
  afterAll(async () => {
    await here.server.stop();
    await there.stop();
    await upstream.stop();
    await bouncer.stop();
    await database.drop();
  });

  const onBoth = (count: number, send: (server: TestServer, index: number) => Promise<{ statusCode: number }>) =>
    Promise.all(Array.from({ length: count }, (_, index) => send(index % 2 === 0 ? here.server : there, index)));

  it("when two servers open more connections than PgBouncer, everything is created and counted once", async () => {
    const { agentId, account } = here;
    const { headers } = account;
    const answers = await onBoth(40, (server, index) =>
      server.app.inject({
        method: "POST",
        url: "/triggers/event",
        headers: { "idempotency-key": `event-${index % 10}` },
        payload: {
          agentId,
          triggerName: "Welcome",
          triggerType: "time_on_page",
          actionType: "show_bubble",
          eventType: "fired",
          sessionId: "visitor",
        },
      }),
    );
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 200));
    const stored = await there.deps.db
      .selectFrom("triggerEvents")
      .select("id")
      .where("agentId", "=", agentId)
      .execute();
    expect(stored).toHaveLength(10);
    const lists = await onBoth(20, (server) => server.app.inject({ url: "/agents", headers }));
    expect(lists.map(({ statusCode }) => statusCode)).toEqual(lists.map(() => 200));
  });

  it("a form that is submitted through PgBouncer is delivered once", async () => {
    const receiver = await startReceiver();
    const form = await createTool(here.account, {
      agentId: here.agentId,
      name: "contact",
      executionType: "form",
      formSchema: { fields: [{ name: "name", label: "Name", type: "text" }] },
      formWebhookUrl: receiver.url,
    });
    const submitted = await onBoth(10, (server) =>
      server.app.inject({
        method: "POST",
        url: "/form-submissions/submit",
        payload: { toolId: form.id, formData: { name: "Ada" }, fieldsCompleted: ["name"] },
      }),
    );
    expect(submitted.map(({ statusCode }) => statusCode)).toEqual(submitted.map(() => 200));
    await receiver.hasReceived(10);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(10);
    await receiver.stop();
  });

  it("documents are indexed and found through PgBouncer, and no lock of a session is left behind", async () => {
    const document = await here.read("# Opening hours\n\nThe harbour office opens at nine.", "hours.md");
    expect(document.state).toBe("ready");
    const { account, agentId } = here;
    const found = await account.call("POST", "/documents/search", { agentId, query: "harbour" });
    expect(JSON.stringify(found.body)).toContain("opens at nine");
    await expect.poll(() => countAdvisoryLocks(database)).toBe(0);
  });

  it("a reply streams through PgBouncer and can be followed on the other server", async () => {
    const gate = Promise.withResolvers<void>();
    upstream.script(async (exchange) => {
      const { send, end } = eventStream(exchange);
      send(chunk({ content: "Begun " }));
      await gate.promise;
      send(chunk({ content: "and done." }, "stop"));
      send("[DONE]");
      end();
    });
    const stream = await openChat(here.server.url, {
      agentId: here.agentId,
      messages: [{ role: "user", content: "Go" }],
    });
    const start = await stream.until("message_start");
    if (start.type !== "message_start") throw new Error("not the start");
    await stream.until("content_block_delta");
    const headers = { authorization: `Bearer ${start.conversationToken}` };
    const followed = await openStream(`${there.url}/chat/${start.conversationId}/stream`, { headers });
    await followed.until("content_block_delta");
    gate.resolve();
    await Promise.all([stream.ended, followed.ended]);
    expect([joinText(stream.events), joinText(followed.events)]).toEqual(["Begun and done.", "Begun and done."]);
  });
}

/** Queries PostgreSQL directly, without PgBouncer. */
async function countAdvisoryLocks({ address }: TestDatabase): Promise<number> {
  if (address.kind !== "postgres") return 0;
  const asked = `select 1 from pg_locks join pg_database on oid = database
    where locktype = 'advisory' and datname = current_database()`;
  return withClient(address.url, async (client) => (await client.query(asked)).rows.length);
}
