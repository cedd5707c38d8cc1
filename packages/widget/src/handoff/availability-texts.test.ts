import { expect, it } from "vitest";
import { localeIds } from "../locales/choose-locale.ts";
import { interpolate } from "../locales/load-messages.ts";
import { describePromise, formatDuration, formatMoment } from "./availability-texts.ts";
import { texts as english } from "./texts/handoff-en.ts";
import { loadHandoffTexts } from "./texts/load-texts.ts";

const placeholders = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([name]) => name).sort();

it.each(localeIds)(
  "the texts about talking to a person are complete in %s, with the same placeholders as English",
  async (locale) => {
    const texts = await loadHandoffTexts({ locale, options: { baseUrl: "" } });
    expect(Object.keys(texts)).toEqual(Object.keys(english));
    for (const [name, text] of Object.entries(texts)) {
      expect([name, placeholders(text)]).toEqual([name, placeholders(english[name as keyof typeof english])]);
      if (locale !== "en") expect([name, text]).not.toEqual([name, english[name as keyof typeof english]]);
    }
  },
);

it("an answer is promised in minutes or whole hours, in the visitor's language", () => {
  expect([10, 60, 90, 120].map((minutes) => formatDuration(minutes, "en"))).toEqual([
    "10 minutes",
    "1 hour",
    "90 minutes",
    "2 hours",
  ]);
  const open = {
    hasButton: true,
    isOpen: true,
    opensAt: null,
    promiseMinutes: 10,
    whileWaiting: "agent" as const,
    canEmail: true,
  };
  expect(describePromise(open, english, "en")).toBe("Someone usually answers within 10 minutes.");
  expect(describePromise({ ...open, promiseMinutes: null }, english, "en")).toBeNull();
});

it("visitors outside office hours read when the team is back, with the date if that is not within six days", () => {
  const at = "2026-03-09T12:00:00Z";
  expect(formatMoment(at, "en", Date.parse(at) - 86_400_000)).toMatch(/^Mon|^Sun|^Tue/);
  expect(formatMoment(at, "en", Date.parse(at) - 86_400_000)).not.toContain("March");
  expect(formatMoment(at, "en", Date.parse(at) - 8 * 86_400_000)).toContain("March");
  const closed = {
    hasButton: true,
    isOpen: false,
    opensAt: null,
    promiseMinutes: 10,
    whileWaiting: "agent" as const,
    canEmail: true,
  };
  expect(describePromise(closed, english, "en")).toBe(interpolate(english.closed, {}));
});
