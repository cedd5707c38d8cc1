import { expect, it } from "vitest";
import { readOptions } from "./read-options.ts";

const base = "https://chat.example/";

it("needs an agent", () => {
  expect(readOptions({}, base)).toBeNull();
});

it("leaves to the agent what the page does not say, or says wrongly", () => {
  const expected = {
    agentId: "agent_1",
    baseUrl: "https://chat.example",
    identity: null,
    consent: "given",
    theme: "auto",
    locale: null,
    position: null,
    accentColor: null,
    title: null,
    greeting: null,
    launcherLabel: null,
    hasLauncher: true,
    isOpen: false,
    zIndex: null,
  };
  expect(readOptions({ agentId: "agent_1" }, base)).toEqual(expected);
  const wrong = { position: "middle", accentColor: "red;}", theme: "blue", zIndex: "high", open: "no", consent: "yes" };
  expect(readOptions({ agentId: "agent_1", ...wrong }, base)).toEqual(expected);
});

it("reads all that the page says", () => {
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
    accentColor: "#0F766E",
    title: "Shop",
    greeting: "Hello",
    launcherLabel: "Ask",
    launcher: "false",
    open: "",
    zIndex: "10",
  };
  expect(readOptions(data, base)).toEqual({
    agentId: "agent_1",
    baseUrl: "https://other.example",
    consent: "required",
    theme: "dark",
    locale: "de",
    identity: { userId: "7", userEmail: "ada@shop.example", userName: "Ada", userHash: "abc" },
    position: "left",
    accentColor: "#0F766E",
    title: "Shop",
    greeting: "Hello",
    launcherLabel: "Ask",
    hasLauncher: false,
    isOpen: true,
    zIndex: 10,
  });
});
