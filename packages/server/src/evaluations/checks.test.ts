import type { AgentTestCheck } from "@foyer/contract";
import { expect, it } from "vitest";
import { runCheck, validateCheck } from "./checks.ts";
import type { SpokenReply } from "./spoken-reply.ts";

const say = (text: string, more: Partial<SpokenReply> = {}): SpokenReply => ({
  text,
  calls: [],
  sources: [],
  asksForPerson: false,
  ...more,
});
const english = say("Yes, we have three touring bikes in stock. Would you like to reserve one?");
const german = say("Ja, wir haben drei Tourenräder auf Lager. Möchten Sie eines reservieren?");
const called = say("It costs 50 euros.", { calls: [{ name: "price", input: { days: 2, bike: { kind: "touring" } } }] });
const source = { n: 1, title: "Prices", url: "https://shop.example/prices", page: null, snippet: "" };

const run = (check: AgentTestCheck, ...replies: SpokenReply[]) =>
  runCheck(check, replies, async (text) => `judged ${text}`);

it.each<[AgentTestCheck, SpokenReply[]]>([
  [{ kind: "tool_called", tool: "price" }, [called, english]],
  [{ kind: "tool_called", tool: "price", arguments: { days: 2 } }, [called]],
  [{ kind: "tool_called", tool: "price", arguments: { bike: { kind: "touring" } } }, [called]],
  [{ kind: "tool_not_called", tool: "stock" }, [called]],
  [{ kind: "tool_not_called", tool: "price", arguments: { days: 3 } }, [called]],
  [{ kind: "says", text: "THREE  touring" }, [called, english]],
  [{ kind: "says", text: "don't need a deposit" }, [say("You don’t need a **deposit**.")]],
  [{ kind: "says", text: "1,250 €" }, [say("It costs 1\u202f250\u00a0€.")]],
  [{ kind: "says", text: "open until 18:00" }, [say("We are open until 6 pm.")]],
  [{ kind: "says", text: "24 December" }, [say("Closed on December 24th.")]],
  [{ kind: "says", text: "**EUR**" }, [say("50 **EUR**")]],
  [{ kind: "never_says", text: "boat" }, [called, english]],
  [{ kind: "language", language: "en-GB" }, [english]],
  [{ kind: "language", language: "de" }, [german]],
  [{ kind: "language", language: "de" }, [say("25 €")]],
  [{ kind: "cites", document: "Prices" }, [say("25 [1]", { sources: [source] })]],
  [{ kind: "cites", document: "https://shop.example/prices" }, [say("25 [1]", { sources: [source] })]],
  [{ kind: "asks_for_person" }, [say("Done.", { asksForPerson: true }), english]],
  [{ kind: "refuses" }, [say("I’m sorry, but I cannot give legal advice.")]],
  [{ kind: "refuses" }, [say("Leider kann ich Ihnen dazu keine Auskunft geben.")]],
  [{ kind: "max_words", n: 14 }, [english]],
])("passes %j", async (check, replies) => {
  expect(await run(check, ...replies)).toBeNull();
});

it.each<[AgentTestCheck, SpokenReply[], string]>([
  [{ kind: "tool_called", tool: "stock" }, [called], 'called price({"days":2,"bike":{"kind":"touring"}})'],
  [{ kind: "tool_called", tool: "price", arguments: { days: "2" } }, [called], "called price"],
  [{ kind: "tool_called", tool: "price" }, [english], "called no tool"],
  [{ kind: "tool_not_called", tool: "price" }, [called, english], "called price"],
  [{ kind: "says", text: "50 euros" }, [called, english], "Yes, we have"],
  [{ kind: "never_says", text: "euros" }, [called, english], "It costs 50 euros."],
  [{ kind: "language", language: "en" }, [english, german], "Ja, wir haben"],
  [{ kind: "language", language: "fr" }, [english], "Yes, we have"],
  [{ kind: "language", language: "en" }, [say("こんにちは")], "こんにちは"],
  [{ kind: "cites", document: "Hours" }, [say("25 [1]", { sources: [source] })], "cited Prices"],
  [{ kind: "asks_for_person" }, [english], "asked for no person"],
  [{ kind: "refuses" }, [say("You cannot rent a bike without a deposit.")], "You cannot rent"],
  [{ kind: "max_words", n: 12 }, [say("Hi."), english], "14 words"],
  [{ kind: "judge", text: "is polite" }, [english], "judged is polite"],
])("reports what came instead of %j", async (check, replies, got) => {
  expect(await run(check, ...replies)).toContain(got);
});

it.each<[AgentTestCheck, string]>([
  [{ kind: "tool_called" }, "checks.0.tool"],
  [{ kind: "says" }, "checks.0.text"],
  [{ kind: "max_words", text: "many" }, "checks.0.n"],
  [{ kind: "says", text: "a", tool: "price" }, "checks.0.tool"],
  [{ kind: "refuses", text: "no" }, "checks.0.text"],
])("refuses the check %j", (check, path) => {
  expect(() => validateCheck(check, "checks.0")).toThrow(path);
});
