import { expect, it } from "vitest";
import { filterColleagues, listColleagues } from "./find-colleagues.ts";

const member = (id: string, name: string) => ({ id, name, email: `${id}@shop.example` });
const members = [member("zoe", "Zoe"), member("ada", "Ada Lovelace"), member("lin", ""), member("grace", "Grace")];
const all = listColleagues(members as never, { me: "grace", assigneeId: "ada", present: new Set(["zoe", "grace"]) });

it("a conversation can be assigned to the user first, then to colleagues who are present, and not to the member who has it", () => {
  expect(all.map(({ name }) => name)).toEqual(["Grace", "Zoe", "lin@shop.example"]);
});

it("a search finds colleagues by parts of their names and addresses, and the user as `me`", () => {
  const found = (text: string) => filterColleagues(all, text).map(({ id }) => id);
  expect(found("ZO")).toEqual(["zoe"]);
  expect(found("shop lin")).toEqual(["lin"]);
  expect(found("me")).toEqual(["grace"]);
  expect(found("")).toHaveLength(3);
  expect(found("nobody")).toEqual([]);
});
