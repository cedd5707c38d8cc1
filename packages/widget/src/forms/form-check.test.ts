import type { FormField } from "@foyer/contract";
import { expect, it } from "vitest";
import { type FormValues, toFormData } from "../form-values/field-values.ts";
import { toFieldErrors, validateAnswers } from "./form-check.ts";

const messages = {
  filesTooLarge: "Too large together.",
  boxRequired: "Please tick this box.",
  fieldRequired: "Required",
  numberEither: "Do you mean {first} or {second}?",
  choicesRequired: "Choose at least one",
};
const MEBIBYTE = 1024 * 1024;
const check = (
  fields: FormField[],
  values: FormValues,
  files: Record<string, { type: string; size: number }> = {},
  unreadable: string[] = [],
) => validateAnswers(fields, { values, files, unreadable: new Set(unreadable) }, { messages, locale: "en" });
const text = (pattern: string): FormField => ({
  name: "f",
  label: "F",
  type: "text",
  validation: { pattern: { value: pattern, message: "No." } },
});
const file = (name: string): FormField => ({ name, label: name, type: "file" });

it("the form check matches patterns like the server: unanchored, by code point, and in a syntax that both support", () => {
  expect(check([text("b")], { f: "abc" })).toEqual({});
  expect(check([text("^.$")], { f: "🚲" })).toEqual({});
  // Invalid with the `v` flag, but valid without it.
  expect(check([text("^[\\w-.]+$")], { f: "a-b.c" })).toEqual({});
  expect(check([text("^a")], { f: "ba" })).toEqual({ f: "No." });
  expect(check([text("(")], { f: "anything" })).toEqual({});
});

it("the form check reports input that the browser could not parse as invalid, not as empty", () => {
  const fields: FormField[] = ["number", "date", "datetime"].map((type) => ({
    name: type,
    label: type,
    type: type as "number",
  }));
  const values = { number: "", date: "", datetime: "" };
  expect(check(fields, values)).toEqual({});
  expect(Object.keys(check(fields, values, {}, ["number", "date", "datetime"]))).toEqual([
    "number",
    "date",
    "datetime",
  ]);
});

it("the form check covers the size of each file, the type of images, and the total size of all files", () => {
  const size = 5 * MEBIBYTE;
  const all = ["a", "b", "c", "d"].map(file);
  const chosen = (names: string[], bytes: number) =>
    Object.fromEntries(names.map((name) => [name, { type: "text/plain", size: bytes }]));
  expect(check(all, {}, chosen(["a", "b", "c"], size))).toEqual({});
  expect(check(all, {}, chosen(["a", "b", "c", "d"], size))).toEqual({ d: "Too large together." });
  expect(check(all, {}, chosen(["a"], size + 1))).toEqual({ a: "a must not be larger than 5 MB" });
  const photo: FormField = { name: "p", label: "Photo", type: "image" };
  expect(check([photo], {}, { p: { type: "text/plain", size: 1 } })).toEqual({ p: "Photo must be an image" });
  expect(check([{ ...photo, validation: { required: { value: true } } }], {})).toEqual({ p: "Required" });
});

it("the form check reports a required box in the visitor's language unless the form has its own message", () => {
  const consent: FormField = {
    name: "c",
    label: "I agree",
    type: "checkbox",
    validation: { required: { value: true } },
  };
  const own: FormField = { ...consent, name: "o", validation: { required: { value: true, message: "We need this." } } };
  expect(check([consent, own], { c: false })).toEqual({ c: "Please tick this box.", o: "We need this." });
  expect(check([consent, own], { c: true, o: true })).toEqual({});
});

it("a form submits numbers as numbers, choices as arrays, files as data URLs, and empty fields as null", () => {
  const fields: FormField[] = [
    { name: "n", label: "N", type: "number" },
    { name: "none", label: "N", type: "number" },
    { name: "m", label: "M", type: "multiselect", options: [{ label: "A", value: "a" }] },
    { name: "t", label: "T", type: "text" },
    { name: "space", label: "T", type: "text" },
    { name: "f", label: "F", type: "file" },
    { name: "g", label: "F", type: "file" },
    { name: "c", label: "C", type: "checkbox" },
    { name: "d", label: "C", type: "checkbox" },
  ];
  const values = { n: "-1.50", none: "", m: ["a"], t: "", space: " ", c: true };
  expect(toFormData(fields, values, { f: "data:,x" })).toEqual({
    n: -1.5,
    none: null,
    m: ["a"],
    t: null,
    space: " ",
    f: "data:,x",
    g: null,
    c: true,
    d: false,
  });
});

it("the server's error details are assigned to fields, including fields with dots in their names", () => {
  const details = [
    { path: "formData.a.b", message: "No." },
    { path: "formData.unknown", message: "No." },
    { path: "fieldsCompleted", message: "No." },
  ];
  expect(toFieldErrors([file("a.b"), file("c")], details)).toEqual({ "a.b": "No." });
});
