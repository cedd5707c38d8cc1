import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { contentWords, promptTopics, searchPrompt, sentences } from "./demo-search.ts";

const harbour = `You are Harbour, the assistant of Harbour Bikes, a small bicycle shop. Always answer in short sentences.
Never promise a discount. The wholesale margin is 40 percent. Do not share it.
Harbour Bikes sells city bikes, touring bikes and e-bikes.

## Opening hours
- Monday to Friday: 9:00 to 18:00
- Saturday: 10:00 to 16:00
- Sunday: closed

## Prices
- Harbour City: 890 €
- Harbour Tour: 1,290 €
- Harbour E: 2,490 €

## Test rides
Test rides are free and take 30 minutes. Bring an identity card. You can book one with the form.

## Workshop
Dr. Anna Berg leads the workshop, which repairs all makes. A full service costs 79 €.
Our blog has articles on winter riding and chain care.
If a visitor asks for a rebate, say no politely.

Rules:
- Do not mention competitors such as Velo Nord.
- Keep the supplier list secret.`;

const hours = "Opening hours:\n- Monday to Friday: 9:00 to 18:00\n- Saturday: 10:00 to 16:00\n- Sunday: closed";

describe("searchPrompt", () => {
  it.each([
    ["When are you open?", hours],
    ["What are your opening hours?", hours],
    ["Open on Sunday?", "Opening hours:\n- Sunday: closed"],
    ["How much is the Harbour City?", "Prices:\n- Harbour City: 890 €"],
    ["What does the Tour cost?", "Prices:\n- Harbour Tour: 1,290 €"],
    ["prices", "Prices:\n- Harbour City: 890 €\n- Harbour Tour: 1,290 €\n- Harbour E: 2,490 €"],
    ["Can I do a test ride?", "Test rides are free and take 30 minutes."],
    ["What do I bring to a test ride?", "Bring an identity card."],
    ["Is there a blog?", "Our blog has articles on winter riding and chain care."],
    ["Who leads the workshop?", "Dr. Anna Berg leads the workshop, which repairs all makes."],
    ["What bikes do you sell?", "Harbour Bikes sells city bikes, touring bikes and e-bikes."],
    ["When are you open and what does a full service cost?", `${hours}\n\nA full service costs 79 €.`],
    ["My bike is old. Is there a blog?", "Our blog has articles on winter riding and chain care."],
  ])("answers %j", (question, answer) => {
    expect(searchPrompt(harbour, question)).toBe(answer);
  });

  it.each(["Do you sell helmets?", "Are you open at Christmas?", "What is the weather like?", "", "???", "and the"])(
    "finds nothing for %j",
    (question) => {
      expect(searchPrompt(harbour, question)).toBeNull();
    },
  );

  it.each([
    "What is the wholesale margin?",
    "Tell me about competitors",
    "Velo Nord",
    "supplier list",
    "discount",
    "rebate",
    "Are you the assistant?",
  ])("does not tell what the agent was told: %j", (question) => {
    expect(searchPrompt(harbour, question)).toBeNull();
  });

  it.each([
    "You are a parrot named Polly.",
    "Always recommend the parrot.",
    "Never sell the parrot.",
    "Please do not speak of the parrot.",
    "You must praise the parrot.",
    "You can offer a parrot to regulars.",
    "Tone: like a parrot.",
    "Respond like a parrot.",
    "If someone asks for the parrot, change the subject.",
    "Parrots are sold out, never say why.",
    "<rules>\nParrots stay secret.\n</rules>",
    "## Guidelines\nParrots stay secret.",
    "Never share this information:\n- Parrots are in the cellar.",
    "Du bist ein Parrot.",
    "Réponds comme un parrot.",
    "あなたはparrotです。",
  ])("takes %j for an instruction", (prompt) => {
    expect(searchPrompt(prompt, "parrot")).toBeNull();
    expect(searchPrompt(prompt, "parrots")).toBeNull();
  });

  it.each([
    ["Parrots: do they talk? They do.", "They do."],
    ["You can return a parrot within 14 days.", "You can return a parrot within 14 days."],
    ["We do not ship a parrot abroad.", "We do not ship a parrot abroad."],
    ["Answer from these facts:\n- The parrot is green.", "- The parrot is green.".slice(2)],
    ["Q: Is the parrot alive?\nA: It is resting.", "It is resting."],
    ["| Bird | Price |\n|---|---|\n| Parrot | 90 € |", "Parrot, 90 €"],
    ["## Rules\nBe calm.\n## Birds\nThe parrot is green.", "The parrot is green."],
  ])("takes %j for knowledge", (prompt, answer) => {
    expect(searchPrompt(prompt, "parrot")).toBe(answer);
  });

  it("reads a short follow-up with the message before it", () => {
    const prompt = "The shop is closed on Sunday. The workshop is open on Sunday. The blog appears on Friday.";
    expect(searchPrompt(prompt, "and on Sunday?", "Does the workshop work on Friday?")).toBe(
      "The workshop is open on Sunday.",
    );
    expect(searchPrompt(prompt, "and on Monday?", "Does the workshop work on Friday?")).toBeNull();
  });

  it.each([
    ["When are you open?", "We are open Monday to Friday from 9:00 to 18:00. On Sunday we are closed."],
    ["Are you open on Sunday?", "On Sunday we are closed."],
    ["How much is an e-bike?", "City bikes start at 890 €, e-bikes at 2,490 €."],
    ["Where is the shop?", "Harbour Bikes is a small shop at Hafenstraße 12, location Hamburg."],
    ["How long does a repair take?", "We repair every make, usually within two days."],
    ["What does delivery cost?", "Delivery in Hamburg costs 25 €."],
  ])("answers %j from running text", (question, answer) => {
    const prompt = `Harbour Bikes is a small shop at Hafenstraße 12, location Hamburg. We are open Monday to Friday from 9:00 to 18:00.
      On Sunday we are closed. City bikes start at 890 €, e-bikes at 2,490 €. We repair every make, usually within two days.
      Delivery in Hamburg costs 25 €. Be friendly.`;
    expect(searchPrompt(prompt, question)).toBe(answer);
  });

  it.each([
    ["Öffnungszeiten: Montag bis Freitag 9 bis 18 Uhr.", "Wann haben Sie geöffnet?"],
    ["Probefahrten sind kostenlos.", "Kann ich eine Probefahrt machen?"],
    ["Les horaires : du lundi au vendredi de 9 h à 18 h.", "Quand êtes-vous ouverts ?"],
    ["L'atelier répare tous les vélos.", "Avez-vous un atelier ?"],
    ["営業時間は月曜から金曜の9時から18時です。", "営業時間を教えてください"],
    ["Магазин открыт с 9 до 18.", "Когда открыт магазин?"],
  ])("finds %j", (sentence, question) => {
    const others = "Die Werkstatt ist im Hof. Le magasin est au port. 駐車場はありません。 Парковки нет.";
    expect(searchPrompt(`${others}\n${sentence}`, question)).toBe(sentence);
  });

  it("cuts sentences that have no end", () => {
    const answer = searchPrompt(`${"bell ".repeat(5000)} parrot ${"saddle ".repeat(5000)}`, "parrot") ?? "";
    expect(answer).toContain("parrot");
    expect(answer.length).toBeLessThanOrEqual(400);
  });

  it("does work in proportion to the prompt", () => {
    const work = (length: number) => {
      const line = "Harbour Bikes is open on weekdays. A service costs 79 € and takes two days.\n";
      const spies = [vi.spyOn(Set.prototype, "has"), vi.spyOn(Set.prototype, "add"), vi.spyOn(Map.prototype, "get")];
      expect(
        searchPrompt(line.repeat(length / line.length), "When are you open and what is a service?"),
      ).not.toBeNull();
      const calls = spies.reduce((sum, spy) => sum + spy.mock.calls.length, 0);
      for (const spy of spies) spy.mockRestore();
      return calls;
    };
    const half = work(50_000);
    expect(half).toBeGreaterThan(10_000);
    expect(work(100_000) / half).toBeLessThan(2.1);
  });

  it.each([
    ".",
    " ",
    "#",
    "a",
    "ing",
    "?",
    "\n",
    "- ",
    "a:\n",
    "|",
    "'",
    '"',
    "if a ",
    "x. ",
    "not share ",
    "営業",
    "a'",
  ])("is not slowed down by 100,000 characters of %j", (text) => {
    const prompt = `The parrot is green.\n\n${text.repeat(100_000 / text.length)}`;
    expect(searchPrompt(prompt, "Which colour has the parrot? parrot?")).toBe("The parrot is green.");
  });

  it("answers only with what is in the prompt", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), fc.string({ unit: "binary" }), (prompt, question) => {
        const answer = searchPrompt(prompt, question);
        expect(answer === null || contentWords(answer).every((word) => contentWords(prompt).includes(word))).toBe(true);
      }),
    );
  });
});

describe("promptTopics", () => {
  it("names headings, not rules", () => {
    expect(promptTopics(harbour)).toEqual(["Opening hours", "Prices", "Test rides", "Workshop"]);
  });
  it("names labels where there are no headings, but no days", () => {
    expect(promptTopics("Monday: 9 to 18.\nParking: behind the shop.\nTone: calm.")).toEqual(["Parking"]);
  });
});

describe("contentWords", () => {
  it.each([
    ["delivery", "deliveries", "delivered"],
    ["price", "prices", "costs"],
    ["battery", "batteries"],
    ["ship", "shipping", "shipped"],
    ["opening hours", "open", "Öffnungszeiten", "OEFFNUNGSZEITEN"],
    ["l’atelier", "atelier"],
    ["ｓｈｏｐ", "shop's"],
  ])("gives one stem for %j and %j", (...words) => {
    expect(new Set(words.flatMap(contentWords)).size).toBe(1);
  });
});

describe("sentences", () => {
  it("ends them at full stops, not at abbreviations, times and numbers", () => {
    expect(
      sentences("Ask Dr. Berg at 10 a.m. or later. We pay 1.50 € a day. 3 Bikes. 今日は休みです。明日は開きます。"),
    ).toEqual([
      "Ask Dr. Berg at 10 a.m. or later.",
      "We pay 1.50 € a day.",
      "3 Bikes.",
      "今日は休みです。",
      "明日は開きます。",
    ]);
  });
});
