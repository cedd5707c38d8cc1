import { join } from "node:path";
import pg from "pg";
import { expect, it } from "vitest";
import { isUnavailable } from "./database-errors.ts";

it("isUnavailable recognizes a PostgreSQL server whose socket file is missing while it restarts", async () => {
  const client = new pg.Client({ host: join(import.meta.dirname, "no-such-folder") });
  const error = await client.connect().then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(error).toMatchObject({ code: "ENOENT" });
  expect(isUnavailable(error)).toBe(true);
});

it("isUnavailable does not take a missing file for a missing database", () => {
  expect(isUnavailable(Object.assign(new Error("no such file"), { code: "ENOENT", syscall: "open" }))).toBe(false);
});
