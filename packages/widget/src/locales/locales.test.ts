import { describe, expect, it } from "vitest";
import { chooseLocale, localeIds } from "./choose-locale.ts";
import { en, type Words } from "./en.ts";
import { launcherWords } from "./launcher-messages.ts";
import { interpolate, loadMessages } from "./load-messages.ts";

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

describe.each(localeIds)("the language %s", (locale) => {
  it("has every word, none empty, with the same places to fill in", async () => {
    const words = await loadMessages(locale);
    expect(Object.keys(words).sort()).toEqual(Object.keys(en).sort());
    for (const [name, text] of Object.entries(words)) {
      expect([name, text.trim()]).not.toEqual([name, ""]);
      expect([name, placeholders(text)]).toEqual([name, placeholders(en[name as keyof Words])]);
    }
    expect(Object.values(launcherWords(locale)).every((word) => word !== "")).toBe(true);
  });
  it("is no copy of English", async () => {
    if (locale === "en") return;
    const words = await loadMessages(locale);
    const same = Object.entries(words).filter(([name, text]) => text === en[name as keyof Words]);
    expect(same.length).toBeLessThan(4);
  });
});

it("is the first that somebody wishes for and that there is", () => {
  expect(chooseLocale([null, "xx", "pt-BR", "de"])).toBe("pt");
  expect(chooseLocale(["zh_Hant_TW"])).toBe("zh");
  expect(chooseLocale([undefined, ""])).toBe("en");
});

it("is filled in, and what has no value stays", () => {
  expect(interpolate("{a} and {b}", { a: 1 })).toBe("1 and {b}");
});
