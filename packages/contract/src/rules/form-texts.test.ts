import { expect, it } from "vitest";
import { defaultFormTexts, ownFormText } from "./form-texts.ts";

it("ownFormText returns only a text that the author wrote, so that the widget translates exactly the defaults", () => {
  const names = ["submitLabel", "successMessage", "errorMessage"] as const;
  for (const name of names) {
    expect(ownFormText(defaultFormTexts, name), name).toBeUndefined();
    expect(ownFormText({}, name), name).toBeUndefined();
    expect(ownFormText({ [name]: "" }, name), name).toBeUndefined();
    expect(ownFormText({ [name]: "Book a ride" }, name), name).toBe("Book a ride");
    expect(ownFormText({ [name]: defaultFormTexts[name].toUpperCase() }, name), name).toBeDefined();
  }
});
