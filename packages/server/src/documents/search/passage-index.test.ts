import { afterAll, beforeAll, expect, it } from "vitest";
import { onBothDatabases, type TestDatabase } from "../../../../../test/databases.ts";
import { migrate } from "../../db/migrate.ts";
import { type OpenDatabase, openDatabase } from "../../db/open.ts";
import { type Passage, prepareDocument, removeFromIndex, replaceInIndex, setSearchable } from "./passage-index.ts";
import { searchPassages } from "./search-passages.ts";

onBothDatabases("The passage index", (createDatabase) => {
  let database: TestDatabase;
  let opened: OpenDatabase;
  beforeAll(async () => {
    database = await createDatabase();
    opened = openDatabase(database.address, () => {});
    await migrate(opened);
  });
  afterAll(async () => {
    await opened.db.destroy();
    await database.drop();
  });

  it("starts empty", async () => {
    expect(await opened.db.selectFrom("indexedDocuments").selectAll().execute()).toEqual([]);
    const passages: Passage[] = [];
    expect(passages).toEqual([]);
    expect([prepareDocument, removeFromIndex, replaceInIndex, setSearchable, searchPassages]).toHaveLength(5);
  });
});
