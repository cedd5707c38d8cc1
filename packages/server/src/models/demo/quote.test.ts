import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quote, splitInstructions, splitPassages } from "./quote.ts";

const harbour = `You are Harbour, the assistant of Harbour Bikes, a small bicycle shop. Always answer in short sentences.
Never promise a discount. The wholesale margin is 40 percent. Do not share it.
Harbour Bikes sells city bikes, touring bikes and e-bikes.

## Opening hours
- Monday to Friday: open from 9:00 to 18:00
- Saturday: open from 10:00 to 16:00
- Sunday: closed

## Test rides
Test rides are free and take 30 minutes. Bring an identity card. You can book one with the form.

## Workshop
Dr. Anna Berg leads the workshop, which repairs all makes. A full service costs 79 €.

Rules:
- Do not mention competitors such as Velo Nord.
- Keep the supplier list secret.`;

const instructions = splitInstructions(harbour);

describe("quoting the agent's instructions", () => {
  it.each([
    ["What are your opening hours?", /^Opening hours:\n- Monday.*\n- Saturday.*\n- Sunday: closed$/],
    ["Are you open on Saturday?", /- Saturday: open from 10:00 to 16:00$/],
    ["Can I take a test ride?", /^Test rides are free and take 30 minutes\./],
    ["What does a full service cost?", /^A full service costs 79 €\.$/],
    ["Who leads the workshop?", /^Dr\. Anna Berg leads the workshop, which repairs all makes\.$/],
  ])("answers %j", (question, answer) => {
    expect(quote(instructions, question)).toMatch(answer);
  });

  it.each(["Do you sell helmets?", "What is the weather like?", "", "???"])("finds nothing for %j", (question) => {
    expect(quote(instructions, question)).toBeNull();
  });

  it.each(["What is the wholesale margin?", "Which competitors are there?", "Is there a supplier list?", "discount?"])(
    "keeps private instructions from visitors: %j",
    (question) => {
      expect(quote(instructions, question) ?? "").not.toMatch(/40 percent|Velo Nord|secret|promise/);
    },
  );
});

describe("quoting passages", () => {
  const passage = (n: number, title: string, text: string) =>
    `<passage-0123456789ab ${JSON.stringify({ n, title })}>\n${text}\n</passage-0123456789ab>`;
  const result = `Reference text\n\n${passage(1, "Service", "A basic service costs 59 euros. We have coffee.")}\n\n${passage(2, "Hours", "- Sunday: closed\n- Saturday: open")}`;

  it("cites the passage that contains the answer", () => {
    expect(quote(splitPassages(result), "What does a basic service cost?")).toBe("A basic service costs 59 euros. [1]");
    expect(quote(splitPassages(result), "Sunday hours?")).toContain("Sunday: closed");
    expect(quote(splitPassages(result), "Sunday hours?")).toContain("[2]");
  });

  it("never fails, whatever the text", () => {
    const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(harbour, result, "open?", "- ", "営業時間"));
    fc.assert(
      fc.property(text, text, (prompt, question) => {
        expect(quote(splitInstructions(prompt), question)).not.toBe("");
        expect(quote(splitPassages(prompt), question)).not.toBe("");
      }),
    );
  });
});
