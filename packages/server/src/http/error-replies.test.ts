import { expect, it } from "vitest";
import { onBothDatabases } from "../../../../test/databases.ts";
import { openDatabase } from "../db/open.ts";
import { toAppError } from "./error-replies.ts";

onBothDatabases("a request that outlives the database", (createDatabase) => {
  it("gets the response that the server is shutting down, and is not logged as a failure", async () => {
    const database = await createDatabase();
    const { db } = openDatabase(database.address, () => {});
    await db.selectFrom("agents").select("id").execute();
    await db.destroy();
    const error = await db
      .selectFrom("agents")
      .select("id")
      .execute()
      .then(
        () => expect.fail("the query succeeded"),
        (error: Error) => toAppError(error),
      );
    expect(error).toMatchObject({ status: 503, message: "The server is shutting down." });
    expect(error.cause).toBeUndefined();
    await database.drop();
  });
});
