import { describe, expect, it } from "vitest";
import { toDraft, toSettings } from "./widget-draft.ts";

describe("a widget's settings in a form", () => {
  it("come back as they were", () => {
    const settings = {
      title: "Harbour Bikes",
      greeting: "Hello",
      suggestions: ["When are you open?"],
      accentColor: "#0f766e",
      position: "left" as const,
      locale: "de",
      launcherLabel: "Ask us",
      errorMessage: "Please call 01234 567.",
    };
    expect(toSettings(toDraft(settings))).toEqual(settings);
  });

  it("are the widget's own defaults where nothing is written", () => {
    const blank = { ...toDraft({}), title: "  ", suggestions: [" ", "Prices "] };
    expect(toSettings(blank)).toEqual({
      title: null,
      greeting: null,
      suggestions: ["Prices"],
      accentColor: null,
      position: "right",
      locale: null,
      launcherLabel: null,
      errorMessage: null,
    });
    expect(toSettings(toDraft({})).suggestions).toBeNull();
  });
});
