import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSqlite, type TestDatabase } from "../../../../test/databases.ts";
import { openSqliteFile } from "./open.ts";

describe("the SQLite file", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createSqlite();
  });
  afterAll(() => database.drop());

  it("is opened with durable writes and foreign keys enforced", () => {
    if (database.address.kind !== "sqlite") throw new Error("not SQLite");
    const connection = openSqliteFile(database.address.file);
    const pragma = (name: string) => connection.pragma(name, { simple: true });
    expect(pragma("journal_mode")).toBe("wal");
    expect(pragma("synchronous")).toBe(2);
    expect(pragma("foreign_keys")).toBe(1);
    connection.close();
  });
});
