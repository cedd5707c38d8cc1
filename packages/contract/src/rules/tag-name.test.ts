import { expect, it } from "vitest";
import { tagKey, toTagName } from "./tag-name.ts";

it("stores the name of a tag on one line without invisible characters", () => {
  expect(toTagName("  late\u200b \t\n delivery\u0007 ")).toBe("late delivery");
  expect(toTagName("\u202e \u200b")).toBe("");
});

it("compares the names of tags regardless of case, spaces and the form of the letters", () => {
  expect(tagKey(" Late  Delivery")).toBe(tagKey("late delivery"));
  expect(tagKey("ＶＩＰ")).toBe("vip");
  expect(tagKey("Cafe\u0301")).toBe(tagKey("café"));
  expect(tagKey("refund")).not.toBe(tagKey("refunds"));
});
