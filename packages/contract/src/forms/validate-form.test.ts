import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { MAX_FILE_BYTES } from "../rules/data-url.ts";
import { fieldTypes as descriptors, type FieldType } from "../rules/field-types.ts";
import type { FieldValidation, FormField } from "./form.ts";
import { validateForm } from "./validate-form.ts";

const fieldTypes = Object.keys(descriptors) as FieldType[];

const compile = (pattern: string) => new RegExp(pattern);
const options = [
  { label: "Red", value: "red" },
  { label: "Blue", value: "blue" },
];
const aPng = "data:image/png;base64,QUJD";
const fieldOf = (type: FieldType, validation?: FieldValidation): FormField => ({
  name: "f",
  label: "Field",
  type,
  ...(type.endsWith("select") && { options }),
  ...(validation && { validation }),
});

/** The problem of one field's value; undefined when there is none. */
function findProblem(type: FieldType, value: unknown, validation?: FieldValidation) {
  const [problem, ...others] = validateForm([fieldOf(type, validation)], { f: value }, { compilePattern: compile });
  expect(others).toEqual([]);
  return problem && { ...problem, field: undefined };
}
const messageOf = (...field: Parameters<typeof findProblem>) => findProblem(...field)?.message;

const validValues: Record<FieldType, unknown> = {
  text: "a",
  email: "a@b.de",
  tel: "112",
  textarea: "a\nb",
  number: 5,
  select: "red",
  multiselect: ["red"],
  date: "2026-01-31",
  datetime: "2026-01-31T09:30",
  file: "data:text/plain;base64,SGk=",
  image: aPng,
  checkbox: true,
};

describe("a required field", () => {
  const required = { required: { value: true } };
  describe.each(fieldTypes)("%s", (type) => {
    const missing = type === "checkbox" ? "Field must be ticked" : "Field is required";
    it.each([[undefined], [null], [""], [[]]])("refuses %j", (value) => {
      expect(messageOf(type, value, required)).toBe(missing);
      expect(messageOf(type, value, { required: { value: true, message: "Please" } })).toBe("Please");
      expect(findProblem(type, value, { required: { value: false, message: "Please" } })).toBeUndefined();
      expect(findProblem(type, value)).toBeUndefined();
    });

    it("refuses a missing value, but not a given one", () => {
      expect(validateForm([fieldOf(type, required)], {}, { compilePattern: compile })).toEqual([
        { field: "f", code: "required", message: missing },
      ]);
      expect(findProblem(type, validValues[type], required)).toBeUndefined();
    });

    it("does not report a wrong value as missing", () => {
      const message = messageOf(type, {}, { required: { value: true, message: "Please" } });
      expect(message).toMatch(/^Field must /);
    });
  });

  it.each(["text", "email", "tel", "textarea"] as const)("refuses a blank %s", (type) => {
    for (const blank of [" ", "\t\n", "\u00a0\u3000"]) {
      expect(messageOf(type, blank, required)).toBe("Field is required");
    }
    if (type !== "email") expect(findProblem(type, " ")).toBeUndefined();
  });

  it("accepts only a ticked checkbox, and names it without its link's URL", () => {
    const field: FormField = {
      ...fieldOf("checkbox", required),
      label: "I accept the [privacy policy](https://shop.example/privacy)",
    };
    expect(validateForm([field], { f: true }, { compilePattern: compile })).toEqual([]);
    expect(validateForm([field], { f: false }, { compilePattern: compile })).toEqual([
      { field: "f", code: "required", message: "I accept the privacy policy must be ticked" },
    ]);
    expect(findProblem("checkbox", false)).toBeUndefined();
    for (const value of ["true", "on", 1]) {
      expect(messageOf("checkbox", value, required)).toBe("Field must be true or false");
    }
  });

  it("accepts zero as a value", () => {
    expect(findProblem("number", 0, required)).toBeUndefined();
    expect(findProblem("number", "0", required)).toBeUndefined();
  });
});

it("applies no other rule to a missing value", () => {
  const pattern = vi.fn(compile);
  const validation = { minLength: { value: 3 }, pattern: { value: "a" } };
  expect(validateForm([fieldOf("text", validation)], { f: "" }, { compilePattern: pattern })).toEqual([]);
  expect(findProblem("number", "", { min: { value: 3 } })).toBeUndefined();
  expect(pattern).not.toHaveBeenCalled();
});

describe("values of each type", () => {
  const kinds: Record<FieldType, string> = {
    text: "must be text",
    email: "must be text",
    tel: "must be text",
    textarea: "must be text",
    number: "must be a number",
    select: "must be text",
    multiselect: "must be a list",
    date: "must be a date (2026-01-31)",
    datetime: "must be a date and time (2026-01-31T09:30)",
    file: "must be a file (a base64 data URL)",
    image: "must be an image (a base64 data URL)",
    checkbox: "must be true or false",
  };

  it.each(fieldTypes)("are checked: %s", (type) => {
    if (type !== "checkbox")
      expect([true, false].map((value) => messageOf(type, value))).toEqual(Array(2).fill(`Field ${kinds[type]}`));
    for (const value of [{}, { a: "b" }, { length: 0 }, [1], [null], [["red"]]]) {
      const isList = type === "multiselect" && Array.isArray(value);
      const words = isList ? "must contain only the listed options" : kinds[type];
      expect(findProblem(type, value)).toMatchObject({ message: `Field ${words}` });
    }
    if (type !== "number") expect(messageOf(type, 5)).toBe(`Field ${kinds[type]}`);
  });

  it.each(fieldTypes)("of the wrong type do not get a rule's own message: %s", (type) => {
    const rule = { value: 0, message: "Never" };
    const message = messageOf(type, { a: 1 }, { min: rule, max: rule, minLength: rule, maxLength: rule });
    expect(message).toBe(`Field ${kinds[type]}`);
  });
});

describe("an email field", () => {
  const long = (length: number) => `${"a".repeat(length - "@example.com".length)}@example.com`;

  it.each([
    "a@b.de",
    "first.last+tag@mail.example.co.uk",
    "o'neil_%x@ex-ample.org",
    "1@2.3",
    "a.b@docomo.example",
    "josé@bücher.example",
    "用户@例子.公司",
    long(254),
  ])("accepts %s", (value) => {
    expect(findProblem("email", value)).toBeUndefined();
  });

  it.each([
    "a",
    "@",
    "a@",
    "@b.de",
    "a@b",
    "a@b.",
    "a@.de",
    "a@b..de",
    "a..b@c.de",
    ".a@b.de",
    "a.@b.de",
    "a@-b.de",
    "a@b-.de",
    "a@b.de.",
    "a@b@c.de",
    "a b@c.de",
    " a@b.de",
    "a@b.de ",
    "a@b.de\n",
    "a@b. de",
    "a@b.de,c@d.de",
    "A <a@b.de>",
    "<a@b.de>",
    "mailto:a@b.de",
    '"a"@b.de',
    "a@[127.0.0.1]",
    "a@b.de\u00a0",
    long(255),
  ])("refuses %j", (value) => {
    expect(messageOf("email", value)).toBe("Field must be an email address (name@example.com)");
  });
});

describe("a tel field", () => {
  it.each(["+49 (0)30 / 123-45.6 x7", "1-800-FLOWERS", "٠١٢٣", "112", "after 6 pm: 555 0100"])(
    "accepts %s",
    (value) => {
      expect(findProblem("tel", value)).toBeUndefined();
    },
  );
});

describe("a number field", () => {
  it.each([0, -0, 1.5, -1e300, "0", "-1.5", "+5", ".5", "5.", "1e3", "1E-3", "007"])("accepts %j", (value) => {
    expect(findProblem("number", value)).toBeUndefined();
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, " ", " 1", "1 ", "1\n", "1,5", "1_000", "0x1", "0b1", "1n"])(
    "refuses %j",
    (value) => {
      expect(messageOf("number", value)).toBe("Field must be a number");
    },
  );

  it.each(["Infinity", "NaN", "e", "-", ".", "+-1", "1.2.3", "1e", "1e999", "9".repeat(400), "五", "١", [1], ["1"]])(
    "refuses values that are not numbers: %j",
    (value) => {
      expect(messageOf("number", value)).toBe("Field must be a number");
    },
  );
});

describe("date and datetime fields", () => {
  it.each<[FieldType, unknown, boolean]>([
    ["date", "2024-02-29", true],
    ["date", "2025-02-29", false],
    ["date", "2026-01-31T09:30", false],
    ["date", 20260131, false],
    ["datetime", "2026-01-31T09:30:15.5+01:00", true],
    ["datetime", "2026-01-31", false],
    ["datetime", "2026-01-31T25:00", false],
    ["datetime", 1769851800000, false],
  ])("check a %s %j: %s", (type, value, isFine) => {
    expect(findProblem(type, value) === undefined).toBe(isFine);
  });
});

describe("length rules", () => {
  const types = ["text", "textarea", "tel"] as const;
  const minLength = { value: 3 };
  const maxLength = { value: 4 };

  it.each(types)("apply to %s", (type) => {
    const lengths = { minLength, maxLength };
    expect(messageOf(type, "ab", lengths)).toBe("Field must have at least 3 characters");
    expect(findProblem(type, "abc", lengths)).toBeUndefined();
    expect(findProblem(type, "abcd", lengths)).toBeUndefined();
    expect(messageOf(type, "abcde", lengths)).toBe("Field must have at most 4 characters");
    expect(messageOf(type, "ab", { minLength: { ...minLength, message: "Longer" } })).toBe("Longer");
    expect(messageOf(type, "abcde", { maxLength: { ...maxLength, message: "Shorter" } })).toBe("Shorter");
  });

  it("apply to an email address after its format", () => {
    expect(messageOf("email", "a@b.de", { minLength: { value: 7, message: "Longer" } })).toBe("Longer");
    expect(messageOf("email", "a@b.de", { maxLength: { value: 5, message: "Shorter" } })).toBe("Shorter");
    expect(messageOf("email", "a", { minLength: { value: 7, message: "Longer" } })).toContain("email address");
  });

  it.each([
    ["😀😀", 2],
    ["a😀b", 3],
    ["\ud83d", 1],
    ["\ud83d\ud83d\ude00", 2],
    ["\ude00\ud83d", 2],
    ["e\u0301", 2],
    ["a\r\nb", 4],
  ])("count code points: %j has %i", (value, length) => {
    expect(findProblem("text", value, { minLength: { value: length }, maxLength: { value: length } })).toBeUndefined();
    expect(findProblem("text", value, { minLength: { value: length + 1 } })).toBeDefined();
    expect(findProblem("text", value, { maxLength: { value: length - 1 } })).toBeDefined();
  });

  it("use the singular for one character", () => {
    expect(messageOf("text", "ab", { maxLength: { value: 1 } })).toBe("Field must have at most 1 character");
    expect(messageOf("text", "a", { maxLength: { value: 0 } })).toBe("Field must have at most 0 characters");
  });
});

describe("bound rules", () => {
  it.each<[FieldType, number | string, unknown, unknown, unknown]>([
    ["number", 5, 4.999, 5, 5.001],
    ["number", 5, "4.999", "5.0", "5.001"],
    ["number", -1, -2, "-1", 0],
    ["number", 0, "-1e-9", -0, "1e-9"],
    ["date", "2026-01-31", "2026-01-30", "2026-01-31", "2026-02-01"],
    ["date", "2026-01-31", "2025-12-31", "2026-01-31", "9999-12-31"],
    ["datetime", "2026-01-31T09:30", "2026-01-31T09:29:59.999", "2026-01-31T09:30:00Z", "2026-01-31T09:30:00.001"],
    ["datetime", "2026-01-31T09:30Z", "2026-01-31T10:29+01:00", "2026-01-31T10:30+01:00", "2026-01-31T08:31-01:00"],
  ])("compare %s %j: %j < %j < %j", (type, value, less, same, more) => {
    const [least, most] = type === "number" ? ["be at least", "be at most"] : ["not be before", "not be after"];
    expect(messageOf(type, less, { min: { value } })).toBe(`Field must ${least} ${value}`);
    expect(findProblem(type, same, { min: { value }, max: { value } })).toBeUndefined();
    expect(messageOf(type, more, { max: { value } })).toBe(`Field must ${most} ${value}`);
    expect(findProblem(type, more, { min: { value } })).toBeUndefined();
    expect(findProblem(type, less, { max: { value } })).toBeUndefined();
    expect(messageOf(type, less, { min: { value, message: "More" } })).toBe("More");
    expect(messageOf(type, more, { max: { value, message: "Less" } })).toBe("Less");
  });

  it("without a valid bound are ignored", () => {
    for (const day of ["1960-01-31", "2026-01-31"]) {
      expect(findProblem("date", day, { min: { value: 5 }, max: { value: "soon" } })).toBeUndefined();
      expect(findProblem("date", day, { min: { value: "soon" }, max: { value: 5 } })).toBeUndefined();
    }
  });
});

describe("choice fields", () => {
  it.each<[FieldType, unknown, string | undefined]>([
    ["select", "red", undefined],
    ["select", "Red", "must be one of the options"],
    ["select", "red ", "must be one of the options"],
    ["select", ["red"], "must be text"],
    ["multiselect", ["red"], undefined],
    ["multiselect", ["blue", "red"], undefined],
    ["multiselect", ["red", "green"], "must contain only the listed options"],
    ["multiselect", ["red", 1], "must contain only the listed options"],
    ["multiselect", [""], "must contain only the listed options"],
    ["multiselect", ["red", "red"], "must contain each option only once"],
    ["multiselect", "red", "must be a list"],
  ])("check a %s %j: %s", (type, value, words) => {
    expect(messageOf(type, value)).toBe(words && `Field ${words}`);
  });

  it.each(["__proto__", "constructor", "length", "0"])("do not accept %s", (value) => {
    expect(findProblem("select", value)).toBeDefined();
    expect(findProblem("multiselect", [value])).toBeDefined();
  });

  it("without options accept nothing", () => {
    const fields: FormField[] = [
      { name: "one", label: "", type: "select" },
      { name: "many", label: "", type: "multiselect" },
    ];
    const problems = validateForm(fields, { one: "red", many: ["red"] }, { compilePattern: compile });
    expect(problems.map(({ field }) => field)).toEqual(["one", "many"]);
  });
});

describe("a pattern rule", () => {
  const types = ["text", "textarea", "tel", "email"] as const;

  it.each(types)("applies to %s", (type) => {
    const value = "x1@b.de";
    expect(findProblem(type, value, { pattern: { value: "\\d" } })).toBeUndefined();
    expect(messageOf(type, value, { pattern: { value: "^\\d+$" } })).toBe("Field is not in the expected format");
    expect(messageOf(type, value, { pattern: { value: "^\\d+$", message: "Digits" } })).toBe("Digits");
  });

  it("is tested last", () => {
    const test = vi.fn(() => false);
    const validation = { minLength: { value: 2 }, maxLength: { value: 3 }, pattern: { value: "p" } };
    const check = (type: FieldType, f: unknown) =>
      validateForm([fieldOf(type, validation)], { f }, { compilePattern: () => ({ test }) })[0]?.message;
    expect(check("text", "a")).toContain("at least 2");
    expect(check("text", "abcd")).toContain("at most 3");
    expect(check("text", 5)).toContain("must be text");
    expect(check("email", "abc")).toContain("email address");
    expect(test).not.toHaveBeenCalled();
    expect(check("text", "abc")).toContain("expected format");
    expect(test.mock.calls).toEqual([["abc"]]);
  });

  it("that cannot be compiled throws to the caller", () => {
    const refuse = () => {
      throw new Error("no such engine");
    };
    const field = fieldOf("text", { pattern: { value: "(" } });
    expect(() => validateForm([field], { f: "a" }, { compilePattern: refuse })).toThrow("no such engine");
    expect(validateForm([field], {}, { compilePattern: refuse })).toEqual([]);
  });
});

describe("file fields", () => {
  /** @param last the last four characters of the base64 text; the others make up 5 MiB */
  const around5MiB = (type: string, last: string) =>
    `data:${type};base64,${"AAAA".repeat(Math.ceil(MAX_FILE_BYTES / 3) - 1)}${last}`;
  const tooLarge = { field: undefined, code: "file_size", message: "Field must not be larger than 5 MB" };

  it.each(["file", "image"] as const)("accept a %s of 5 MiB, but not a byte more", (type) => {
    expect(findProblem(type, around5MiB("image/png", "AA=="))).toBeUndefined();
    expect(findProblem(type, around5MiB("image/png", "AAA="))).toBeUndefined();
    expect(findProblem(type, around5MiB("image/png", "AAAA"))).toEqual(tooLarge);
    expect(findProblem(type, around5MiB("image/png", "AAAAAA=="))).toEqual(tooLarge);
    expect(findProblem(type, around5MiB("image/png", "AAAAAAA="))).toEqual(tooLarge);
  });

  it("measure the decoded size", () => {
    for (const [size, isFine] of [-1, 0, 1, 2, 3].map((more) => [MAX_FILE_BYTES + more, more <= 0] as const)) {
      const value = `data:;base64,${Buffer.alloc(size).toString("base64")}`;
      expect(findProblem("file", value) === undefined).toBe(isFine);
    }
  });

  it.each<[FieldType, unknown, string | undefined]>([
    ["file", "data:text/plain;base64,SGk=", undefined],
    ["file", "data:;base64,SGk=", undefined],
    ["file", "data:text/plain;base64,", undefined],
    ["file", aPng, undefined],
    ["file", "a.txt", "must be a file (a base64 data URL)"],
    ["file", "data:text/plain,Hi", "must be a file (a base64 data URL)"],
    ["file", "data:text/plain;base64,SGk", "must be a file (a base64 data URL)"],
    ["file", "data:text/plain;base64,SG-_", "must be a file (a base64 data URL)"],
    ["file", [aPng], "must be a file (a base64 data URL)"],
    ["image", aPng, undefined],
    ["image", "data:IMAGE/svg+xml;x=y;base64,QUJD", undefined],
    ["image", "data:text/plain;base64,SGk=", "must be an image"],
    ["image", "data:imagery/png;base64,SGk=", "must be an image"],
    ["image", "data:text/plain;image/png;base64,SGk=", "must be an image"],
    ["image", "data:;base64,SGk=", "must be an image"],
    ["image", "https://example.com/a.png", "must be an image (a base64 data URL)"],
  ])("check a %s %j: %s", (type, value, words) => {
    expect(findProblem(type, value)?.message).toBe(words && `Field ${words}`);
  });

  it("check files that were removed from the data in the same way", () => {
    const check = (type: FieldType, prefix: string, size: number) =>
      validateForm(
        [fieldOf(type, { required: { value: true } })],
        { f: null },
        { compilePattern: compile, files: new Map([["f", { prefix, size }]]) },
      )[0];
    expect(check("file", "data:;base64,", 0)).toBeUndefined();
    expect(check("image", "data:image/png;base64,", MAX_FILE_BYTES)).toBeUndefined();
    expect(check("image", "data:image/png;base64,", MAX_FILE_BYTES + 1)).toEqual({ ...tooLarge, field: "f" });
    expect(check("image", "data:text/plain;base64,", 3)?.message).toBe("Field must be an image");
    expect(check("text", "data:text/plain;base64,", 3)?.message).toBe("Field is required");
  });
});

describe("error messages", () => {
  it.each([
    ["Your name", "Your name is required"],
    [" Name ", "Name is required"],
    ["", "f is required"],
    ["  ", "f is required"],
  ])("use the name of a field labeled %j where they must", (label, message) => {
    const field = { ...fieldOf("text", { required: { value: true } }), label };
    expect(validateForm([field], {}, { compilePattern: compile })[0]?.message).toBe(message);
  });

  it("that are empty are ignored", () => {
    expect(messageOf("text", "", { required: { value: true, message: "" } })).toBe("Field is required");
  });

  it("come once per field, in field order", () => {
    const names = ["c", "a", "b"];
    const fields = names.map((name) => ({
      ...fieldOf("text", { minLength: { value: 3 }, pattern: { value: "^x" } }),
      name,
    }));
    const problems = validateForm(fields, { a: "a", b: "xyz", c: 1, d: {} }, { compilePattern: compile });
    expect(problems.map(({ field }) => field)).toEqual(["c", "a"]);
  });
});

describe("form data", () => {
  const names = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

  it.each(names)("finds %s only among its own properties", (name) => {
    const field = { ...fieldOf("text", { required: { value: true } }), name };
    const hostile: Record<string, unknown> = JSON.parse(`{"${name}": "own"}`);
    expect(validateForm([field], {}, { compilePattern: compile })).toEqual([
      { field: name, code: "required", message: "Field is required" },
    ]);
    expect(validateForm([field], Object.create({ [name]: "inherited" }), { compilePattern: compile })).toHaveLength(1);
    expect(validateForm([field], hostile, { compilePattern: compile })).toEqual([]);
    expect(
      validateForm([field], Object.assign(Object.create(null), { f: 1 }), { compilePattern: compile }),
    ).toHaveLength(1);
  });

  it("may contain unknown fields", () => {
    const data = JSON.parse('{"f": "a", "other": {"deep": [1]}, "__proto__": {"f": 5}, "hasOwn": 1}');
    expect(validateForm([fieldOf("text")], data, { compilePattern: compile })).toEqual([]);
  });

  it("of a disabled field is checked as well", () => {
    const field = { ...fieldOf("number"), disabled: true };
    expect(validateForm([field], { f: "x" }, { compilePattern: compile })).toHaveLength(1);
  });

  it("is not modified", () => {
    const data = Object.freeze({ f: Object.freeze(["red", "x"]) });
    expect(validateForm([fieldOf("multiselect")], data, { compilePattern: compile })).toHaveLength(1);
  });
});

describe("validateForm, for any form,", () => {
  const length = fc.nat({ max: 20 });
  const rules = (value: fc.Arbitrary<number | string>) =>
    fc.record(
      {
        required: fc.record({ value: fc.boolean() }),
        minLength: fc.record({ value: length }),
        maxLength: fc.record({ value: length }),
        min: fc.record({ value }),
        max: fc.record({ value }),
        pattern: fc.record({ value: fc.constantFrom("^a", "b$", "[^x]", ".") }),
      },
      { requiredKeys: [] },
    );
  const anyBound = fc.oneof(fc.double(), fc.string(), fc.constantFrom("2026-01-31", "2026-01-31T09:30"));
  const anyField = fc
    .tuple(fc.constantFrom(...fieldTypes), rules(anyBound))
    .map(([type, validation]) => fieldOf(type, validation as FieldValidation));
  const text = fc.string({ unit: "binary", minLength: 1, maxLength: 25 });

  it("never throws and reports at most one problem per field", () => {
    const value = fc.oneof(fc.jsonValue(), fc.anything(), fc.constantFrom(...Object.values(validValues)), text);
    fc.assert(
      fc.property(
        fc.array(anyField, { maxLength: 5 }),
        fc.array(value),
        fc.dictionary(fc.string(), value),
        (...given) => {
          const [unnamed, values, others] = given;
          const fields = unnamed.map((field, index) => ({ ...field, name: `f${index}` }));
          const data = { ...others, ...Object.fromEntries(values.map((each, index) => [`f${index}`, each])) };
          const problems = validateForm(fields, data, { compilePattern: compile });
          const known = fields.map(({ name }) => name);
          const found = problems.map(({ field }) => field);
          expect(found).toEqual(known.filter((name) => found.includes(name)));
          for (const { message } of problems) expect(message).toMatch(/^Field (must|is) /);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("accepts values made to satisfy the rules", () => {
    const inDays = (day: Date) => day.toISOString().slice(0, 10);
    const days = fc.date({ min: new Date("1900-01-01"), max: new Date("2100-01-01"), noInvalidDate: true });
    const three = <T, V>(one: fc.Arbitrary<T>, order: (a: T, b: T) => number, write: (each: T) => V) =>
      fc.tuple(one, one, one).map((all) => all.sort(order).map(write) as [V, V, V]);
    const between = (type: FieldType, all: fc.Arbitrary<[number | string, unknown, number | string]>) =>
      all.map(([min, value, max]) => ({ type, value, validation: { min: { value: min }, max: { value: max } } }));
    const numbers = three(fc.double({ noNaN: true, noDefaultInfinity: true }), (a, b) => a - b, Number);
    const isFilledIn = (value: string) => value.trim() !== "";
    const fitting = fc.oneof(
      // A required field of spaces alone counts as empty.
      fc.tuple(fc.constantFrom<FieldType>("text", "textarea", "tel"), text.filter(isFilledIn)).map(([type, value]) => {
        const count = { value: [...value].length };
        return { type, value, validation: { minLength: count, maxLength: count, pattern: { value: "[^]" } } };
      }),
      fc.emailAddress({ size: "small" }).map((value) => ({
        type: "email" as const,
        value,
        validation: { minLength: { value: 3 }, maxLength: { value: 254 }, pattern: { value: "@" } },
      })),
      between("number", numbers),
      between(
        "number",
        numbers.map(([min, value, max]) => [min, `${value}`, max]),
      ),
      between(
        "date",
        three(days, (a, b) => a.getTime() - b.getTime(), inDays),
      ),
      between(
        "datetime",
        three(
          days,
          (a, b) => a.getTime() - b.getTime(),
          (day) => day.toISOString(),
        ),
      ),
      fc.constantFrom("red", "blue").map((value) => ({ type: "select" as const, value, validation: {} })),
      fc.subarray(["blue", "red"], { minLength: 1 }).map((value) => ({
        type: "multiselect" as const,
        value,
        validation: {},
      })),
      fc.tuple(fc.constantFrom<FieldType>("file", "image"), fc.uint8Array()).map(([type, bytes]) => ({
        type,
        value: `data:image/webp;base64,${Buffer.from(bytes).toString("base64")}`,
        validation: {},
      })),
    );
    fc.assert(
      fc.property(fitting, ({ type, value, validation }) => {
        expect(findProblem(type, value, { required: { value: true }, ...validation })).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  it("never tests a pattern on text that is too long", () => {
    fc.assert(
      fc.property(fc.constantFrom<FieldType>("text", "textarea", "tel", "email"), text, length, (type, value, most) => {
        const test = vi.fn(() => true);
        const validation = { maxLength: { value: most, message: "long" }, pattern: { value: "." } };
        const problems = validateForm([fieldOf(type, validation)], { f: value }, { compilePattern: () => ({ test }) });
        expect(test).toHaveBeenCalledTimes(problems.length === 0 ? 1 : 0);
        if (type !== "email") expect(problems.length === 0).toBe([...value].length <= most);
      }),
    );
  });
});

describe("the work of validateForm", () => {
  it("is one compilation, one test and one lookup per field", () => {
    for (const count of [50, 100]) {
      const test = vi.fn(() => true);
      const compileOnce = vi.fn(() => ({ test }));
      const get = vi.fn((target: Record<string, string>, name: string) => target[name]);
      const fields = Array.from({ length: count }, (_, index) => ({
        ...fieldOf("text", { maxLength: { value: 9 }, pattern: { value: "." } }),
        name: `f${index}`,
      }));
      const data = new Proxy(Object.fromEntries(fields.map(({ name }) => [name, "a"] as const)), {
        get: (target, name: string) => get(target, name),
      });
      expect(validateForm(fields, data, { compilePattern: compileOnce })).toEqual([]);
      expect([compileOnce, test, get].map((each) => each.mock.calls.length)).toEqual([count, count, count]);
    }
  });

  it("reads every option once, however many are chosen", () => {
    for (const count of [250, 500]) {
      let reads = 0;
      const many = Array.from({ length: count }, (_, index) => ({
        label: "",
        get value() {
          reads++;
          return `${index}`;
        },
      }));
      const f = Array.from({ length: count }, (_, index) => `${count - 1 - index}`);
      const fields: FormField[] = [{ name: "f", label: "", type: "multiselect", options: many }];
      expect(validateForm(fields, { f }, { compilePattern: compile })).toEqual([]);
      expect(reads).toBe(count);
    }
  });

  // A quadratic check would not finish within the test's time limit.
  it.each(["a", "@", "a.", ".", "1", "e", "-", "a@", "@.", "a@b.", "😀", "\ud83d", " ", "data:", ";base64,", "="])(
    "is linear for a million characters of %j",
    (piece) => {
      const long = piece.repeat(1_000_000 / piece.length);
      const validation = { minLength: { value: 500_000 } };
      for (const type of fieldTypes) {
        const isFree = type === "text" || type === "textarea" || type === "tel";
        for (const value of [long, `${long}!`, `a@${long}`]) {
          expect(findProblem(type, value, isFree ? validation : {}) === undefined).toBe(isFree);
        }
      }
    },
  );

  it("is linear for a million choices", () => {
    const choices = Array.from({ length: 1_000_000 }, () => "red");
    expect(messageOf("multiselect", choices)).toBe("Field must contain each option only once");
    expect(messageOf("multiselect", [...choices, "x"])).toBe("Field must contain only the listed options");
  });
});
