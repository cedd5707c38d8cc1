import { FoyerError } from "@foyer/sdk";
import { expect, it } from "vitest";
import { emptyVisitor, toActingVisitor } from "./acting-visitor.ts";

it("toActingVisitor reads a visitor from a form and names the invalid fields", () => {
  expect(toActingVisitor({ ...emptyVisitor, id: " 42 ", claims: '{"plan":"pro"}' })).toEqual({
    id: "42",
    email: null,
    name: null,
    claims: { plan: "pro" },
  });
  const problemsOf = (claims: string) => {
    try {
      return toActingVisitor({ ...emptyVisitor, claims });
    } catch (error) {
      return error instanceof FoyerError ? error.details.map(({ path }) => path) : error;
    }
  };
  expect(problemsOf("")).toEqual(["id"]);
  for (const claims of ["[]", "{", "7"]) expect(problemsOf(claims)).toEqual(["id", "claims"]);
});
