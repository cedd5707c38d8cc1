import { expect, it } from "vitest";
import { hideAddress, hideAddresses } from "./hide-address.ts";

it.each([
  ["https://hooks.slack.com/services/T0/B0/secret", "https://hooks.slack.com"],
  ["https://user:password@hooks.example:8443/x?token=secret#part", "https://hooks.example:8443"],
  ["not an address", ""],
])("shows only the origin of %j", (address, origin) => {
  expect(hideAddress(address)).toBe(origin);
});

it("shows only the origins of the addresses in an explanation", () => {
  expect(hideAddresses("Redirected from https://a.example/t/secret to http://b.example/?k=secret (301).")).toBe(
    "Redirected from https://a.example to http://b.example (301).",
  );
});
