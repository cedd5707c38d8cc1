import { expect, it } from "vitest";
import { toInitials } from "./initials.ts";

it.each([
  ["Ada Lovelace", "AL"],
  ["Ada", "A"],
  ["Anna Maria van der Berg", "AB"],
  ["ada.lovelace@shop.example", "AL"],
  ["élodie 😀", "É"],
  ["李雷", "李"],
  ["Nightly import", "NI"],
  ["", "?"],
])("the initials of %j are %s", (name, initials) => {
  expect(toInitials(name)).toBe(initials);
});
