import type { KeyboardEvent } from "react";
import { expect, it } from "vitest";
import { isComposing } from "./composing.ts";

const key = (nativeEvent: object) => ({ nativeEvent: { isComposing: false, keyCode: 13, ...nativeEvent } });

it.each([
  ["belongs to an input method during a composition", { isComposing: true, keyCode: 229 }, true],
  [
    "belongs to an input method when Safari sends it after the composition, with the key code 229",
    { keyCode: 229 },
    true,
  ],
  ["does not belong to an input method without a composition", {}, false],
])("Enter %s", (_, event, expected) => {
  expect(isComposing(key(event) as unknown as KeyboardEvent)).toBe(expected);
});
