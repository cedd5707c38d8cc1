import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../test/databases.ts";
import { compileInsert, jsonRows, toJson } from "./json-rows.ts";
import { migrate } from "./migrate.ts";
import { type OpenDatabase, openDatabase } from "./open.ts";

type Row = { id: string; organizationId: string; name: string; hash: string; start: string; createdAt: number };

onBothDatabases("rows passed as JSON", (createDatabase) => {
  let database: TestDatabase;
  let open: OpenDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    open = openDatabase(database.address, () => {});
    await migrate(open);
    const organization = { id: "org", name: "Org", slug: "org", logo: null, metadata: null, plan: "pro" };
    await open.db
      .insertInto("organizations")
      .values({ ...organization, createdAt: "2026-01-01" })
      .execute();
  });
  beforeEach(() => open.db.deleteFrom("apiKeys").execute());
  afterAll(async () => {
    await open.db.destroy();
    await database.drop();
  });

  const insertKeys = (rows: Row[]) =>
    compileInsert<Row>({ db: open.db, databaseKind: open.kind }, "apiKeys", {
      id: "text",
      organizationId: "text",
      name: "text",
      hash: "text",
      start: "text",
      createdAt: "bigint",
    })(open.db, rows);
  const row = (id: string, name: string): Row => ({
    id,
    name,
    organizationId: "org",
    hash: id,
    start: "fyr_",
    createdAt: 1_763_700_000_000,
  });
  const readStored = () => open.db.selectFrom("apiKeys").select(["id", "name", "createdAt"]).orderBy("id").execute();

  it.each([0, 1, 2, 300])("insert %d rows, each with its own values", async (count) => {
    const rows = Array.from({ length: count }, (_, n) => row(`key_${String(n).padStart(3, "0")}`, `Name ${n}`));
    await insertKeys(rows);
    expect(await readStored()).toEqual(rows.map(({ id, name, createdAt }) => ({ id, name, createdAt })));
  });

  it.each([
    ["quotes and braces", `'"{}[]\\ \\u0041 \\ud83d`],
    ["lines and other scripts", "a\n\t 漢字 مرحبا 🚲"],
    ["half a pair", "a\ud83db", "a\ufffdb"],
  ])("preserve %s", async (_, text, expected = text) => {
    await insertKeys([row("a", text), row("b", "plain")]);
    expect((await readStored()).map(({ name }) => name)).toEqual([expected, "plain"]);
  });

  it("return numbers as numbers", async () => {
    type Numbered = { id: string; at: number | null };
    const json = toJson([
      { id: "a", at: 1_763_700_000_000 },
      { id: "b", at: null },
    ]);
    const rows = open.db.selectFrom(jsonRows<Numbered>(open.kind, json, { id: "text", at: "bigint" })).selectAll();
    expect(await rows.orderBy("id").execute()).toEqual([
      { id: "a", at: 1_763_700_000_000 },
      { id: "b", at: null },
    ]);
  });
});
