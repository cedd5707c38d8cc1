import { describe, expect, it } from "vitest";
import { listFormulas, type SaidReply } from "./facts.ts";
import { findRegressions } from "./judge-turn.ts";

const notice = "All prices include insurance.";
const german = [
  `Ein Tourenrad kostet für zwei Tage 50 Euro, und der Helm ist dabei. ${notice}`,
  `Für zwei Tage zahlen Sie 50 Euro für das Tourenrad, inklusive Helm. ${notice}`,
] as const;
const english = `For two days, you pay 50 euros for the touring bike, with a helmet. ${notice}`;

const spoken = (text: string) => ({ text, calls: [], sources: [], asksForPerson: false });

function listProblems([recorded, baseline]: readonly [string, string], candidate: string, formulas: string[] = []) {
  const texts = { recorded: spoken(recorded), baseline: spoken(baseline), candidate: spoken(candidate) };
  const found = findRegressions({ ...texts, knowledge: "", formulas: new Set(formulas) });
  return found.map(({ check }) => check);
}

describe("a replayed reply", () => {
  it("in another language is found, also when all replies end with the same notice in that language", () => {
    expect(listProblems(german, english)).toEqual(["language"]);
    expect(listProblems(german, german[0])).toEqual([]);
  });

  it("is compared as a whole when nothing but a shared sentence is long enough to tell the language", () => {
    expect(listProblems([`50. ${notice}`, `50. ${notice}`], `50. ${notice}`)).toEqual([]);
  });
});

describe("the sentences that an agent says again and again", () => {
  const price = (text: string): SaidReply => ({ text: `${text} ${notice}`, calls: ["price"] });
  const prices = ["It is 50.", "You pay 50.", "That is 50.", "It costs 50.", "We ask for 50."].map(price);
  const others = Array.from({ length: 20 }, (_, index) => ({ text: `Reply number ${index} to you.`, calls: [] }));
  const rule = "all prices include insurance";

  it("include a notice after each use of a tool, however many other replies there are", () => {
    expect([...listFormulas([...prices, ...others])]).toEqual([rule]);
    expect(listProblems([prices[0]?.text ?? "", prices[1]?.text ?? ""], "It is 50.", [rule])).toEqual([
      "lost_sentence",
    ]);
  });

  it("leave out one that some uses of the tool lack", () => {
    const without = { text: "It is 50.", calls: ["price"] };
    expect([...listFormulas([...prices, without, ...others])]).toEqual([]);
  });
});
