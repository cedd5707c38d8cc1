import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillTemplate, findPlaceholders } from "./fill-template.ts";

const record: Record<string, string> = {
  name: "Ada",
  "first name": "Grace",
  nested: "{{name}}",
  dollar: "$& $1",
  empty: "",
};
const own = (name: string) => (Object.hasOwn(record, name) ? record[name] : undefined);

describe("fillTemplate", () => {
  it.each([
    ["no placeholder", "no placeholder"],
    ["Hi {{name}}!", "Hi Ada!"],
    ["{{ name }}{{\tname\n}}", "AdaAda"],
    ["{{first name}}", "Grace"],
    ["{{name}}{{name}}", "AdaAda"],
    ["{{empty}}", ""],
    ["[{{unknown}}]", "[]"],
    ["[{{constructor}}]", "[]"],
    ["{{nested}}", "{{name}}"],
    ["{{dollar}}", "$& $1"],
    ["{{{name}}}", "{Ada}"],
    ["{{ {{name}} }}", "{{ Ada }}"],
    ["{{}} {{  }}", "{{}} {{  }}"],
    ["{name} {{name} {{name", "{name} {{name} {{name"],
  ])("turns %j into %j", (template, filled) => {
    expect(fillTemplate(template, own)).toBe(filled);
  });

  it("uses `missing` for unknown names", () => {
    expect(fillTemplate("{{name}} {{ x }}", own, (name) => `<${name}>`)).toBe("Ada <x>");
  });

  it("leaves a template unchanged when every value is its own placeholder", () => {
    const piece = fc.oneof(fc.constantFrom("{", "{{", "}", "}}", "a", " "), fc.string());
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const template = pieces.join("");
        const trimmed = template.replace(/\{\{([^{}]*)\}\}/g, (_text, name: string) => `{{${name.trim()}}}`);
        const kept = fillTemplate(template, (name) => `{{${name}}}`);
        // An empty name is plain text and keeps its spaces.
        expect(kept.replace(/\{\{\s*\}\}/g, "{{}}")).toBe(trimmed);
      }),
    );
  });

  it("never replaces placeholders within values", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.string(), (values, text) => {
        const plain = text.replaceAll(/[{}]/g, "");
        const template = values.map((_value, index) => `${plain}{{v${index}}}`).join("");
        const filled = fillTemplate(template, (name) => values[Number(name.slice(1))]);
        expect(filled).toBe(values.map((value) => plain + value).join(""));
      }),
    );
  });

  it.each(["{{", "{{a", "{{{", "{{ ", "{{}}", "{{a}"])("reads a million characters of %j in linear time", (piece) => {
    const template = piece.repeat(1_000_000 / piece.length);
    expect(fillTemplate(template, () => "x")).toBe(template);
  });

  it("reads an unterminated placeholder in linear time", () => {
    const template = `{{${" a".repeat(500_000)}`;
    expect(fillTemplate(template, () => "x")).toBe(template);
  });
});

describe("findPlaceholders", () => {
  it.each([
    ["", []],
    ["{{b}} {{ a }} {{b}}", ["b", "a"]],
    ["{{}} {{ }} {x}", []],
    ["{{user.metadata.plan}}", ["user.metadata.plan"]],
    ["{{__proto__}}", ["__proto__"]],
  ])("returns for %j the names %j", (template, names) => {
    expect(findPlaceholders(template)).toEqual(names);
  });

  it("returns exactly the names that fillTemplate looks up", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("{{", "}}", "{", "}", "a", "b", " ")), (pieces) => {
        const asked = new Set<string>();
        fillTemplate(pieces.join(""), (name) => {
          asked.add(name);
          return undefined;
        });
        expect(findPlaceholders(pieces.join(""))).toEqual([...asked]);
      }),
    );
  });
});
