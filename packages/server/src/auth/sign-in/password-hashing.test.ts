import { expect, it } from "vitest";
import { explainRefusal } from "./library-errors.ts";
import { createPasswordHashing } from "./password-hashing.ts";

it("refuses to hash a password when too many wait already, and answers 503", async () => {
  const { hash } = createPasswordHashing({ maxWaiting: 1 });
  const results = await Promise.allSettled(["a", "b", "c", "d"].map((password) => hash(password)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "fulfilled", "rejected"]);
  const { reason } = results[3] as PromiseRejectedResult;
  expect(explainRefusal(reason.statusCode, reason.body)).toMatchObject({ code: "OVERLOADED", retryAfter: 5 });
  expect(await hash("e")).toMatch(/:/);
});
