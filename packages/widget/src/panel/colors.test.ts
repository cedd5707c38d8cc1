import { readFileSync } from "node:fs";
import { join } from "node:path";
import { contrastRatio } from "@foyer/contract/rules/accent-contrast";
import { describe, expect, it } from "vitest";

const sheets = ["../loader/shadow-host.css", "panel.css"].map((file) =>
  readFileSync(join(import.meta.dirname, file), "utf8"),
);

/** The custom properties with a color of all rules with this selector. */
function readColors(selector: string): Record<string, string> {
  const rules = sheets.flatMap((css) => css.split(`\n${selector} {`).slice(1));
  const blocks = rules.map((rule) => rule.slice(0, rule.indexOf("}")));
  const colors = blocks.flatMap((block) => [...block.matchAll(/--([a-z]+): (#[0-9a-f]{3,6});/g)]);
  return Object.fromEntries(
    colors.map(([, name = "", value = ""]) => [name, value.length === 4 ? value.replace(/\w/g, "$&$&") : value]),
  );
}

describe.each([
  ["light", ".frame"],
  ["dark", '.frame[data-theme="dark"]'],
])("in the %s theme", (_, selector) => {
  const colors = readColors(selector);
  const contrast = (one: string, other: string) => contrastRatio(colors[one] ?? "", colors[other] ?? "");

  it.each(["paper", "card", "raised", "bubble"])("texts on %s have a contrast of at least 4.5:1", (surface) => {
    expect(contrast("ink", surface)).toBeGreaterThanOrEqual(4.5);
    expect(contrast("soft", surface)).toBeGreaterThanOrEqual(4.5);
    expect(contrast("wrong", surface)).toBeGreaterThanOrEqual(4.5);
  });

  it("fields have an edge with a contrast of at least 3:1", () => {
    expect(contrast("edge", "card")).toBeGreaterThanOrEqual(3);
    expect(contrast("edge", "paper")).toBeGreaterThanOrEqual(3);
  });

  it("the visitor's bubble can be told from the panel", () => {
    expect(contrast("bubble", "paper")).toBeGreaterThanOrEqual(1.12);
  });
});
