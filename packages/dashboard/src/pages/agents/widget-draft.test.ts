import { expect, it } from "vitest";
import { toDraft, toSettings, type WidgetSettings } from "./widget-draft.ts";

it("turns widget settings into a draft and back without changing them", () => {
  const settings: WidgetSettings = {
    title: "Harbour Bikes",
    greeting: "Hello",
    suggestions: ["When are you open?"],
    pageSuggestions: [
      { page: "/bikes/*", suggestions: ["Is it in stock?"] },
      { page: "/checkout/**", suggestions: [] },
    ],
    accentColor: "#0f766e",
    theme: "dark",
    position: "left",
    offsetX: 0,
    offsetY: 72,
    locale: "de",
    launcherLabel: "Ask us",
    launcherIcon: "message",
    face: "initials",
    accentMessages: true,
    errorMessage: "Please call 01234 567.",
    showAiNotice: false,
    aiNotice: "A machine answers.",
    privacyPolicyUrl: "https://shop.example/privacy",
    consentText: "I agree.",
  };
  expect(toSettings(toDraft(settings))).toEqual(settings);
});

it("saves empty fields of a widget draft as the widget's defaults", () => {
  const pageSuggestions = [
    { page: " ", suggestions: [" "] },
    { page: " /bikes/* ", suggestions: ["", " Is it in stock? "] },
  ];
  const blank = { ...toDraft({}), title: "  ", suggestions: [" ", "Prices "], pageSuggestions };
  expect(toSettings(blank)).toEqual({
    title: null,
    greeting: null,
    suggestions: ["Prices"],
    pageSuggestions: [{ page: "/bikes/*", suggestions: ["Is it in stock?"] }],
    accentColor: null,
    theme: "auto",
    position: "right",
    offsetX: null,
    offsetY: null,
    locale: null,
    launcherLabel: null,
    launcherIcon: "chat",
    face: "image",
    accentMessages: false,
    errorMessage: null,
    showAiNotice: true,
    aiNotice: null,
    privacyPolicyUrl: null,
    consentText: null,
  });
  expect(toSettings(toDraft({}))).toMatchObject({ suggestions: null, pageSuggestions: null });
});
