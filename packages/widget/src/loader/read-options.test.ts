import { expect, it } from "vitest";
import { readOptions } from "./read-options.ts";

const base = "https://chat.example/";

it("the script tag requires an agent id", () => {
  expect(readOptions({}, base)).toBeNull();
});

it("the script tag accepts a user token instead of or besides a user id", () => {
  const identityOf = (data: object) => readOptions({ agentId: "agent_1", ...data }, base)?.identity;
  expect(identityOf({ userToken: "a.b.c" })).toEqual({ userToken: "a.b.c" });
  expect(identityOf({ userToken: "a.b.c", userId: "7" })).toEqual({ userId: "7", userToken: "a.b.c" });
  expect(identityOf({ userToken: "" })).toBeNull();
});

it("the script tag falls back to the agent's settings for missing or invalid attributes", () => {
  const expected = {
    agentId: "agent_1",
    baseUrl: "https://chat.example",
    identity: null,
    consent: "given",
    theme: null,
    locale: null,
    position: null,
    sendsPage: true,
    offsetX: null,
    offsetY: null,
    accentColor: null,
    title: null,
    greeting: null,
    launcherLabel: null,
    launcherIcon: null,
    hasLauncher: true,
    isOpen: false,
    zIndex: null,
  };
  expect(readOptions({ agentId: "agent_1" }, base)).toEqual(expected);
  const wrong = {
    position: "middle",
    accentColor: "red;}",
    theme: "blue",
    launcherIcon: "toString",
    offsetX: "-4",
    zIndex: "high",
    open: "no",
    consent: "yes",
  };
  expect(readOptions({ agentId: "agent_1", ...wrong }, base)).toEqual(expected);
});

it("the script tag sets every option with an attribute", () => {
  const data = {
    agentId: "agent_1",
    baseUrl: "https://other.example//",
    userId: "7",
    userEmail: "ada@shop.example",
    userName: "Ada",
    userHash: "abc",
    consent: "required",
    theme: "dark",
    locale: "de",
    position: "left",
    offsetX: "12",
    offsetY: "900",
    accentColor: "#0F766E",
    title: "Shop",
    greeting: "Hello",
    launcherLabel: "Ask",
    launcherIcon: "message",
    launcher: "false",
    open: "",
    zIndex: "10",
    page: "off",
  };
  expect(readOptions(data, base)).toEqual({
    agentId: "agent_1",
    sendsPage: false,
    baseUrl: "https://other.example",
    consent: "required",
    theme: "dark",
    locale: "de",
    identity: { userId: "7", userEmail: "ada@shop.example", userName: "Ada", userHash: "abc" },
    position: "left",
    offsetX: 12,
    offsetY: 400,
    accentColor: "#0F766E",
    title: "Shop",
    greeting: "Hello",
    launcherLabel: "Ask",
    launcherIcon: "message",
    hasLauncher: false,
    isOpen: true,
    zIndex: 10,
  });
});
