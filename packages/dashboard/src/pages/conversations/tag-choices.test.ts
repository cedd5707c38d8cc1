import { expect, it } from "vitest";
import { describeTagChange, tagChoices } from "./tag-choices.ts";

const tag = (name: string) => ({ id: `tag_${name}`, name });
const all = ["bug", "Refund", "refund by card", "partial refund", "VIP"].map(tag);
const offered = (text: string, own: ReturnType<typeof tag>[] = []) =>
  tagChoices({ all, own, text }).items.map(({ name, isNew }) => (isNew ? `+${name}` : name));

it("offers the tags that a conversation does not have, those that start with the text first", () => {
  expect(offered("", [tag("VIP")])).toEqual(["bug", "Refund", "refund by card", "partial refund"]);
  expect(offered("REFUND")).toEqual(["Refund", "refund by card", "partial refund"]);
});

it("offers to create a tag unless one of that name exists", () => {
  expect(offered("  return   fee ")).toEqual(["+return fee"]);
  expect(offered("ref")).toEqual(["Refund", "refund by card", "partial refund", "+ref"]);
  expect(offered("vip")).toEqual(["VIP"]);
  expect(tagChoices({ all: undefined, own: [], text: "vip" }).items).toEqual([{ id: "new", name: "vip", isNew: true }]);
});

it("explains why no tag can be added", () => {
  const status = (text: string, own: ReturnType<typeof tag>[] = [], tags = all) =>
    tagChoices({ all: tags, own, text }).status;
  expect(status("vip", [tag("VIP")])).toBe("This conversation already has this tag.");
  expect(status("x".repeat(41))).toBe("A tag can have at most 40 characters.");
  expect(status("", [], [])).toBe("No tags yet. Type a name to create the first one.");
  expect(status("", all)).toBe("Type a name to create a tag.");
  const twenty = Array.from({ length: 20 }, (_, index) => tag(String(index)));
  expect(tagChoices({ all, own: twenty, text: "bug" })).toEqual({
    items: [],
    status: "A conversation can have at most 20 tags. Remove one to add another.",
  });
});

it("offers at most 50 of the tags", () => {
  const many = Array.from({ length: 60 }, (_, index) => tag(`order ${index}`));
  const { items, status } = tagChoices({ all: many, own: [], text: "order" });
  expect([items.length, items.at(-1)?.isNew, status]).toEqual([51, true, "10 more. Type a name to find them."]);
});

it("describes tags that were added and removed, and no tag that was renamed", () => {
  const [bug, vip] = [tag("bug"), tag("VIP")];
  expect(describeTagChange([bug], [bug, vip])).toBe("Added VIP.");
  expect(describeTagChange([bug], [vip])).toBe("Added VIP. Removed bug.");
  expect(describeTagChange([vip], [{ ...vip, name: "Important" }])).toBe("");
});
