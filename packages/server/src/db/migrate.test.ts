import { sql } from "kysely";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createPostgres, onBothDatabases, type TestDatabase, withClient } from "../../../../test/databases.ts";
import { isMigrated, migrate } from "./migrate.ts";
import { namesFromAddresses } from "./migrations/0070-names-from-addresses.ts";
import { type OpenDatabase, openDatabase } from "./open.ts";

onBothDatabases("migrations", (createDatabase) => {
  let database: TestDatabase;
  let opened: OpenDatabase[];
  const open = () => {
    const connection = openDatabase(database.address, () => {});
    opened.push(connection);
    return connection;
  };
  beforeEach(async () => {
    database = await createDatabase({ isEmpty: true });
    opened = [];
  });
  afterEach(async () => {
    await Promise.all(opened.map(({ db }) => db.destroy()));
    await database.drop();
  });

  it("are refused in a database that another program uses", async () => {
    const { db, kind } = open();
    await sql`create table organizations (id integer)`.execute(db);
    await expect(migrate({ db, kind })).rejects.toThrow("The database is used by another program");
  });

  it("run once, in order, and then find nothing to do", async () => {
    const connection = open();
    expect(await migrate(connection)).toEqual([
      "0001-initial",
      "0002-forms",
      "0003-triggers",
      "0004-limits",
      "0005-sign-in",
      "0006-dashboard",
      "0007-chat",
      "0008-form-bounds",
      "0009-security",
      "0012-inbox",
      "0013-feedback-comments",
      "0014-conversation-analytics",
      "0015-agent-images",
      "0017-bounded-work",
      "0020-documents",
      "0021-passage-index",
      "0022-sites",
      "0023-embeddings",
      "0024-searchable-documents",
      "0025-answers",
      "0026-events",
      "0027-visitor-data",
      "0028-identity",
      "0029-page",
      "0031-document-titles",
      "0032-delivery-leases",
      "0035-submission-events",
      "0040-handoff",
      "0041-notes-and-canned-replies",
      "0042-notices",
      "0043-team-chats",
      "0044-live-presence",
      "0046-activity",
      "0047-endings",
      "0048-sent-hosts",
      "0050-message-keys",
      "0051-repeated-starts",
      "0053-charsets",
      "0054-tags",
      "0060-delivery-organizations",
      "0061-running-sources",
      "0063-supplied-messages",
      "0064-rating-events",
      "0065-byte-days",
      "0070-names-from-addresses",
      "0072-activity-order",
      "0074-removed-links",
      "0078-dropped-events",
      "0079-segment-analysis",
      "0081-chat-formats",
      "0082-document-warnings",
      "0083-conversation-costs",
      "0084-answer-times",
      "0085-models",
      "0086-prompt-sizes",
      "0087-named-servers",
      "0089-prompt-state",
      "0093-attachments",
      "0095-agent-versions",
      "0096-agent-drafts",
      "0097-model-settings",
      "0098-member-attachments",
      "0100-agent-rollouts",
      "0105-agent-tests",
      "0106-replays",
      "0110-conversation-status",
      "0111-inbox-views",
      "0112-bulk-actions",
      "0115-teams",
      "0120-trash",
      "0121-visitor-notes",
      "0124-team-views",
      "0128-handoff-times",
      "0129-reply-actions",
      "0130-attachment-counters",
      "0134-inbox-totals",
      "0136-conversation-ratings",
      "0140-message-drafts",
      "0141-rating-mails",
      "0143-rating-figures",
      "0145-inbox-lists",
      "0146-conversation-search",
      "0150-delivery-redirects",
      "0151-read-only-answers",
      "0152-trigger-firings",
      "0160-agent-test-runs",
      "0165-member-presence",
      "0166-mentions",
      "0181-secret-check",
      "0182-rating-mail-index",
    ]);
    expect(await migrate(connection)).toEqual([]);
    expect(await isMigrated(connection.db)).toBe(true);
  });

  it("leave nothing behind when one of them fails", async () => {
    const { db, kind } = open();
    await sql`create table agents (id integer)`.execute(db);
    await expect(migrate({ db, kind })).rejects.toThrow(/agents/);
    await sql`drop table agents`.execute(db);
    expect(await migrate({ db, kind })).toEqual([
      "0001-initial",
      "0002-forms",
      "0003-triggers",
      "0004-limits",
      "0005-sign-in",
      "0006-dashboard",
      "0007-chat",
      "0008-form-bounds",
      "0009-security",
      "0012-inbox",
      "0013-feedback-comments",
      "0014-conversation-analytics",
      "0015-agent-images",
      "0017-bounded-work",
      "0020-documents",
      "0021-passage-index",
      "0022-sites",
      "0023-embeddings",
      "0024-searchable-documents",
      "0025-answers",
      "0026-events",
      "0027-visitor-data",
      "0028-identity",
      "0029-page",
      "0031-document-titles",
      "0032-delivery-leases",
      "0035-submission-events",
      "0040-handoff",
      "0041-notes-and-canned-replies",
      "0042-notices",
      "0043-team-chats",
      "0044-live-presence",
      "0046-activity",
      "0047-endings",
      "0048-sent-hosts",
      "0050-message-keys",
      "0051-repeated-starts",
      "0053-charsets",
      "0054-tags",
      "0060-delivery-organizations",
      "0061-running-sources",
      "0063-supplied-messages",
      "0064-rating-events",
      "0065-byte-days",
      "0070-names-from-addresses",
      "0072-activity-order",
      "0074-removed-links",
      "0078-dropped-events",
      "0079-segment-analysis",
      "0081-chat-formats",
      "0082-document-warnings",
      "0083-conversation-costs",
      "0084-answer-times",
      "0085-models",
      "0086-prompt-sizes",
      "0087-named-servers",
      "0089-prompt-state",
      "0093-attachments",
      "0095-agent-versions",
      "0096-agent-drafts",
      "0097-model-settings",
      "0098-member-attachments",
      "0100-agent-rollouts",
      "0105-agent-tests",
      "0106-replays",
      "0110-conversation-status",
      "0111-inbox-views",
      "0112-bulk-actions",
      "0115-teams",
      "0120-trash",
      "0121-visitor-notes",
      "0124-team-views",
      "0128-handoff-times",
      "0129-reply-actions",
      "0130-attachment-counters",
      "0134-inbox-totals",
      "0136-conversation-ratings",
      "0140-message-drafts",
      "0141-rating-mails",
      "0143-rating-figures",
      "0145-inbox-lists",
      "0146-conversation-search",
      "0150-delivery-redirects",
      "0151-read-only-answers",
      "0152-trigger-firings",
      "0160-agent-test-runs",
      "0165-member-presence",
      "0166-mentions",
      "0181-secret-check",
      "0182-rating-mail-index",
    ]);
  });

  it("refuse a database that a newer version has migrated", async () => {
    const { db, kind } = open();
    await migrate({ db, kind });
    await sql`insert into migrations (name, "ranAt") values ('9999-future', 1)`.execute(db);
    await expect(migrate({ db, kind })).rejects.toThrow(/newer version/);
  });

  it("remove names that are a part of the address, but not those that a person can have", async () => {
    const { db, kind } = open();
    await migrate({ db, kind });
    const createdAt = new Date().toISOString();
    const names = ["ada", "ada.l", "grace_7", "Mary"];
    const users = names.map((name, index) => ({
      id: `user_${index}`,
      name,
      email: `${name.toLowerCase()}@example.com`,
      image: null,
      createdAt,
      updatedAt: createdAt,
      emailVerified: sql<boolean>`true`,
    }));
    await db.insertInto("users").values(users).execute();
    await namesFromAddresses(db);
    const rows = await db.selectFrom("users").select("name").orderBy("id").execute();
    expect(rows.map(({ name }) => name)).toEqual(["ada", "", "", "Mary"]);
  });

  it("create foreign keys that delete dependent rows", async () => {
    const { db, kind } = open();
    await migrate({ db, kind });
    const organization = {
      id: "org_1",
      name: "A",
      slug: "a",
      logo: null,
      metadata: null,
      plan: "pro",
      createdAt: new Date().toISOString(),
    };
    await db.insertInto("organizations").values(organization).execute();
    const key = {
      id: "key_1",
      organizationId: "org_1",
      createdBy: null,
      name: "k",
      hash: "h",
      start: "s",
      createdAt: 1,
      lastUsedAt: null,
      expiresAt: null,
    };
    await db.insertInto("apiKeys").values(key).execute();
    await expect(
      db
        .insertInto("apiKeys")
        .values({ ...key, id: "key_2", hash: "i", organizationId: "org_2" })
        .execute(),
    ).rejects.toThrow();
    await db.deleteFrom("organizations").execute();
    expect(await db.selectFrom("apiKeys").selectAll().execute()).toEqual([]);
  });
});

it.each(["LATIN1", "SQL_ASCII"])(
  "migrations are refused in a PostgreSQL database with the encoding %s",
  async (encoding) => {
    const database = await createPostgres({ isEmpty: true });
    if (database.address.kind !== "postgres") throw new Error("not PostgreSQL");
    const url = new URL(database.address.url);
    const name = `${url.pathname.slice(1)}_${encoding.toLowerCase()}`;
    await withClient(url.href, (client) =>
      client.query(`create database ${name} encoding '${encoding}' locale 'C' template template0`),
    );
    url.pathname = `/${name}`;
    const { db, kind } = openDatabase({ kind: "postgres", url: url.href }, () => {});
    await expect(migrate({ db, kind })).rejects.toThrow(`The encoding of the PostgreSQL database is ${encoding}.`);
    await db.destroy();
    await withClient(database.address.url, (client) => client.query(`drop database ${name} with (force)`));
    await database.drop();
  },
);
