import { describe, expect, it } from "vitest";
import { texts as attachmentTexts } from "../attachments/texts/attachment-en.ts";
import { loadAttachmentTexts } from "../attachments/texts/load-texts.ts";
import { texts as formTexts } from "../forms/texts/form-en.ts";
import { loadFormMessages } from "../forms/texts/load-form-messages.ts";
import { loadRatingTexts } from "../rating/texts/load-texts.ts";
import { texts as ratingTexts } from "../rating/texts/rating-en.ts";
import { chooseLocale, localeIds } from "./choose-locale.ts";
import { texts as english, type Messages } from "./en.ts";
import { launcherMessages } from "./launcher-messages.ts";
import { interpolate, loadMessages } from "./load-messages.ts";

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe.each(localeIds)("the messages in %s", (locale) => {
  const core = { locale, options: { baseUrl: "" } };
  it.each([
    ["the panel", () => loadMessages(core), english],
    ["forms", () => loadFormMessages(core), formTexts],
    ["attachments", () => loadAttachmentTexts(core), attachmentTexts],
    ["ratings", () => loadRatingTexts(core), ratingTexts],
  ] as const)("include every message of %s and use the same placeholders as English", async (_, load, english) => {
    const messages = await load();
    expect(Object.keys(messages).sort()).toEqual(Object.keys(english).sort());
    for (const [name, text] of Object.entries(messages)) {
      expect([name, text.trim()]).not.toEqual([name, ""]);
      expect([name, placeholders(text)]).toEqual([name, placeholders(english[name as keyof typeof english])]);
    }
  });
  it("include the launcher's words", () => {
    expect(Object.values(launcherMessages(locale)).every((word) => word !== "")).toBe(true);
  });
  it("are not a copy of English", async () => {
    if (locale === "en") return;
    const messages = await loadMessages(core);
    const same = Object.entries(messages).filter(([name, text]) => text === english[name as keyof Messages]);
    expect(same.length).toBeLessThan(4);
  });
});

it("the widget uses the first preferred language that it supports", () => {
  expect(chooseLocale([null, "xx", "pt-BR", "de"])).toBe("pt");
  expect(chooseLocale(["zh_Hant_TW"])).toBe("zh");
  expect(chooseLocale([undefined, ""])).toBe("en");
});

it("interpolate replaces placeholders and keeps those without a value", () => {
  expect(interpolate("{a} and {b}", { a: 1 })).toBe("1 and {b}");
});
