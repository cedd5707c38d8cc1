import type { FormField } from "@foyer/contract";
import { FoyerError, type FoyerErrorCode } from "@foyer/sdk";
import { expect, it } from "vitest";
import { toAnswers } from "../form-values/answers.ts";
import { texts as chatMessages } from "../locales/en.ts";
import { chooseAutoComplete } from "./auto-complete.ts";
import { toFailure } from "./error-messages.ts";
import { formatBytes } from "./format-bytes.ts";
import { texts } from "./texts/form-en.ts";

const en = { ...chatMessages, ...texts };

it("each submission error is explained to the visitor, with the time for a retry", () => {
  const say = (code: FoyerErrorCode, status: number, retryAfter: number | null = null) => {
    const { text, until, canRetry } = toFailure(
      new FoyerError(code, "For developers", { status, retryAfter }),
      en,
      true,
    );
    return [text, until === null ? null : Math.round((until - Date.now()) / 1_000), canRetry];
  };
  expect(say("UNREACHABLE", 0)).toEqual([en.formUnreachable, null, true]);
  expect(say("RATE_LIMITED", 429, 12)).toEqual([en.formTooMany.replace("{seconds}", "12"), 12, true]);
  expect(say("RATE_LIMITED", 429)).toEqual([en.formTooMany.replace("{seconds}", "60"), 60, true]);
  expect(say("OVERLOADED", 503, 2)).toEqual([en.busy, 2, true]);
  expect(say("INTERNAL", 500)).toEqual([en.busy, null, true]);
  expect(say("PAYLOAD_TOO_LARGE", 413)).toEqual([en.filesTooLarge, null, false]);
  expect(say("FILE_TOO_LARGE", 400)).toEqual([en.filesTooLarge, null, false]);
  expect(say("NOT_FOUND", 404)).toEqual([en.formGone, null, false]);
  expect(say("FORBIDDEN", 403)).toEqual([en.formRefused, null, false]);
  expect(say("VALIDATION_ERROR", 400)).toEqual([en.formFailed, null, false]);
  expect(toFailure(new TypeError("ours"), en, true).text).toBe(en.formFailed);
  // A very long text gets the same response as large files, but there is no file to replace.
  const tooLarge = new FoyerError("FILE_TOO_LARGE", "For developers", { status: 400 });
  expect(toFailure(tooLarge, en, false).text).toBe(en.formFailed);
});

it("file sizes are formatted with binary units and rounded up", () => {
  const MEBIBYTE = 1024 * 1024;
  expect(
    [0, 1, 1024, 1025, MEBIBYTE - 1, MEBIBYTE, 5 * MEBIBYTE, 5 * MEBIBYTE + 1].map((size) => formatBytes(size, "en")),
  ).toEqual(["0 kB", "1 kB", "1 kB", "2 kB", "1,024 kB", "1 MB", "5 MB", "5.1 MB"]);
  expect(formatBytes(1.5 * MEBIBYTE, "de")).toBe("1,5 MB");
});

it("submitted answers are formatted for people", () => {
  const options = [
    { label: "City One", value: "city" },
    { label: "", value: "tour" },
  ];
  const field = (name: string, type: FormField["type"], more = {}): FormField => ({ name, label: name, type, ...more });
  const fields = [
    field("text", "text"),
    field("empty", "text"),
    field("one", "select", { options }),
    field("many", "multiselect", { options }),
    field("none", "multiselect", { options }),
    field("day", "date"),
    field("moment", "datetime"),
    field("photo", "image"),
    { ...field("blank", "text"), label: " " },
  ];
  const values = {
    text: "a\nb",
    empty: "",
    one: "city",
    many: ["city", "tour"],
    none: [],
    day: "2026-12-24",
    moment: "2026-12-24T09:30",
    blank: "x",
  };
  expect(
    toAnswers(fields, { values, files: { photo: { name: "bike.png" } } }, { locale: "en-GB", yes: "Yes", no: "No" }),
  ).toEqual([
    { label: "text", text: "a\nb" },
    { label: "one", text: "City One" },
    { label: "many", text: "City One, tour" },
    { label: "day", text: "24 December 2026" },
    { label: "moment", text: "24 December 2026 at 09:30" },
    { label: "photo", text: "bike.png" },
    { label: "blank", text: "x" },
  ]);
});

it("autocomplete values follow from the field's type and name", () => {
  const token = (name: string, type: FormField["type"] = "text") => chooseAutoComplete({ name, label: "", type });
  expect(["first_name", "lastName", "Full name", "zip", "color"].map((name) => token(name))).toEqual([
    "given-name",
    "family-name",
    "name",
    "postal-code",
    undefined,
  ]);
  expect([token("contact", "email"), token("x", "tel"), token("name", "textarea")]).toEqual([
    "email",
    "tel",
    undefined,
  ]);
});
