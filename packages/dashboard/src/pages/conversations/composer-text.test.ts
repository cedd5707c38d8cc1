import { expect, it } from "vitest";
import { withoutSent } from "./composer-text.ts";

it("the composer keeps what a member types while a message is being sent", () => {
  expect(withoutSent("Hello ", "Hello ")).toBe("");
  expect(withoutSent("Hello\nWhich bike", "Hello")).toBe("Which bike");
  expect(withoutSent("", "Hello")).toBe("");
  expect(withoutSent("Another text", "Hello")).toBe("Another text");
});
