import { expect, it } from "vitest";
import { toPlainText } from "./plain-text.ts";

it.each([
  ["emphasis", "We are **open** *daily*, not ~~never~~.", "We are open daily, not never."],
  ["a link", "See [our prices](https://shop.example/prices).", "See our prices."],
  ["headings and lists", "# Hours\n\n- *one*\n- `two`\n  1. three", "Hours\none\ntwo\nthree"],
  ["tasks", "- [x] Lights **included**\n- [ ] Bell\n- [y] Other", "☑ Lights included\n☐ Bell\n[y] Other"],
  ["a table", "| a | b |\n|---|---|\n| 1 | **2** |", "a, b\n1, 2"],
  ["quotes and rules", "> **quoted**\n\n---\n\nend", "quoted\nend"],
  ["code", "```js\na ** b\n```", "a ** b"],
])("Markdown with %s becomes the text that is displayed", (_, markdown, text) => {
  expect(toPlainText(markdown)).toBe(text);
});
