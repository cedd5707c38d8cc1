import { expect, it } from "vitest";
import { toAppError } from "./library-errors.ts";
import { createPasswordHashing } from "./password-hashing.ts";

it("refuses to hash a password with 503 when too many calls are waiting", async () => {
  const { hash } = createPasswordHashing({ maxWaiting: 1 });
  const results = await Promise.allSettled(["a", "b", "c", "d"].map((password) => hash(password)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
  const { reason } = results[3] as PromiseRejectedResult;
  expect(toAppError(reason.statusCode, reason.body)).toMatchObject({ code: "OVERLOADED", retryAfter: 5 });
  expect(await hash("e")).toMatch(/:/);
});
