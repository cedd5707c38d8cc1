import { expect, it } from "vitest";
import { listModelIds } from "./provider.ts";

it.each<[unknown, string[]]>([
  [{ data: [{ id: "a" }, { id: "b" }] }, ["a", "b"]],
  [
    [{ id: "a" }, { id: "b" }],
    ["a", "b"],
  ],
  [{ models: [{ name: "a" }] }, ["a"]],
  [
    ["a", "b"],
    ["a", "b"],
  ],
  [{ data: [{ id: "a" }, { id: "a" }, null, 7, { id: 3 }] }, ["a"]],
  [{ data: { id: "a" } }, []],
  [null, []],
  ["a", []],
])("the list of models %j has the names %j", (body, names) => {
  expect(listModelIds(body)).toEqual(names);
});
