import type { DetailCode } from "../error.ts";
import type { FormField } from "../form.ts";
import { declaredType, MAX_FILE_BYTES, parseDataUrl } from "./data-url.ts";
import { timeOf } from "./form-dates.ts";

/** Why a field's value is refused: a machine-readable code, and a message for the visitor. */
export type FieldProblem = { field: string; code: DetailCode; message: string };

/** Passed in, so that the server runs patterns in linear time and the browser needs no second engine. */
export type CompilePattern = (pattern: string) => { test(value: string): boolean };

/** A file that was taken out of the data and decoded: its data URL up to and with the comma, and its bytes. */
export type TakenFile = { prefix: string; size: number };

/**
 * What is wrong with a form's data: for each field the first rule that it breaks, in the order of the fields. The message
 * is the rule's own where it has one.
 *
 * - An empty text, `null`, a missing value and `[]` are not given. Only `required` refuses that, and text that is blank.
 * - Texts are counted in characters (code points). `pattern` may be found anywhere in the value and is asked last, so
 *   never for a text that is too long. A `tel` has no format, as in HTML: ways to write one differ too much.
 * - A `number` is one or a text that is one: `-1.5`, `1e3`, without spaces.
 * - A `date` or `datetime` exists in the calendar. Bounds are compared as moments; without a zone that is UTC.
 * - A `select` is one of the options' values, a `multiselect` always an array of them, none twice.
 * - A `file` or `image` is a base64 data URL, at most `MAX_FILE_BYTES` decoded. An image is what calls itself one.
 * - Disabled fields are checked like others. Data that belongs to no field is ignored.
 * @param files files that are no longer in the data, by their field
 * @throws only what `compilePattern` throws: patterns are tried when a form is saved
 */
export function validateForm(
  fields: readonly FormField[],
  data: Record<string, unknown>,
  compilePattern: CompilePattern,
  files?: ReadonlyMap<string, TakenFile>,
): FieldProblem[] {
  return fields.flatMap((field) => {
    const value = Object.hasOwn(data, field.name) ? data[field.name] : undefined;
    const broken = brokenRule(field, value, compilePattern, files?.get(field.name));
    if (!broken) return [];
    const message = broken.rule?.message || `${field.label.trim() || field.name} ${broken.words}`;
    return [{ field: field.name, code: broken.code, message }];
  });
}

/** `words` follow the field's label. A value of the wrong kind breaks no `rule` that has a message of its own. */
type Broken = { code: DetailCode; words: string; rule?: { message?: string } };

function brokenRule(
  field: FormField,
  value: unknown,
  compilePattern: CompilePattern,
  file: TakenFile | undefined,
): Broken | null {
  const { type, validation: { required } = {}, options = [] } = field;
  const isFile = type === "file" || type === "image";
  if (required?.value && typeof value === "string" && value.trim() === "" && !isFile) {
    return { words: "is required", code: "required", rule: required };
  }
  if (!(isFile && file) && (value === undefined || value === null || value === "" || isEmptyArray(value))) {
    return required?.value ? { code: "required", words: "is required", rule: required } : null;
  }
  if (isFile) return brokenByFile(type, value, file);
  if (type === "number" || type === "date" || type === "datetime") return brokenByMeasure(field, value);
  if (type === "multiselect") return brokenByChoices(options, value);
  if (typeof value !== "string") return { code: "type", words: "must be text" };
  if (type === "select") {
    const isOption = options.some((option) => option.value === value);
    return isOption ? null : { code: "enum", words: "must be one of the options" };
  }
  return brokenByText(field, value, compilePattern);
}

function brokenByText(
  { type, validation = {} }: FormField,
  text: string,
  compilePattern: CompilePattern,
): Broken | null {
  const { minLength, maxLength, pattern } = validation;
  if (type === "email" && !isEmail(text)) {
    return { code: "format", words: "must be an email address (name@example.com)" };
  }
  const length = minLength || maxLength ? charactersIn(text) : 0;
  if (minLength && length < minLength.value) {
    return { code: "min_length", words: `must have at least ${characters(minLength.value)}`, rule: minLength };
  }
  if (maxLength && length > maxLength.value) {
    return { code: "max_length", words: `must have at most ${characters(maxLength.value)}`, rule: maxLength };
  }
  if (pattern && !compilePattern(pattern.value).test(text)) {
    return { code: "pattern", words: "is not in the expected format", rule: pattern };
  }
  return null;
}

function brokenByMeasure({ type, validation: { min, max } = {} }: FormField, value: unknown): Broken | null {
  const measure = measureOf(type, value);
  if (measure === null) return { code: "format", words: `must be ${measureNames[type as keyof typeof measureNames]}` };
  const lowest = measureOf(type, min?.value);
  const highest = measureOf(type, max?.value);
  const [notLess, notMore] = type === "number" ? ["be at least", "be at most"] : ["not be before", "not be after"];
  if (min && lowest !== null && measure < lowest) {
    return { code: "min", words: `must ${notLess} ${min.value}`, rule: min };
  }
  if (max && highest !== null && measure > highest) {
    return { code: "max", words: `must ${notMore} ${max.value}`, rule: max };
  }
  return null;
}

const measureNames = {
  number: "a number",
  date: "a date (2026-01-31)",
  datetime: "a date and time (2026-01-31T09:30)",
};

function brokenByChoices(options: { value: string }[], value: unknown): Broken | null {
  if (!Array.isArray(value)) return { code: "type", words: "must be a list" };
  const known = new Set<unknown>(options.map((option) => option.value));
  if (!value.every((choice) => known.has(choice))) return { code: "enum", words: "must hold only the options" };
  if (new Set(value).size === value.length) return null;
  return { code: "duplicate", words: "must hold every option only once" };
}

function brokenByFile(type: "file" | "image", value: unknown, taken: TakenFile | undefined): Broken | null {
  const parsed = taken ? null : typeof value === "string" ? parseDataUrl(value) : null;
  const size = taken?.size ?? parsed?.size;
  if (size === undefined) {
    return { code: "format", words: `must be ${type === "file" ? "a file" : "an image"} (a base64 data URL)` };
  }
  const mediaType = taken ? declaredType(taken.prefix) : parsed?.mediaType;
  if (type === "image" && !mediaType?.startsWith("image/")) return { code: "file_type", words: "must be an image" };
  return size > MAX_FILE_BYTES ? { code: "file_size", words: "must not be larger than 5 MB" } : null;
}

/** A number, or milliseconds; null for what is neither. */
function measureOf(type: FormField["type"], value: unknown): number | null {
  if (type !== "number") return typeof value === "string" ? timeOf(type, value) : null;
  // `Number` would also take "", " 1 ", "0x1" and "Infinity".
  const number = typeof value === "string" && /^[-+.\de]+$/i.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/**
 * One @, dots between parts and nowhere else, a dot in the domain, no label of the domain that begins or ends with a hyphen.
 * No character can begin two parts, so that matching is linear.
 */
function isEmail(text: string): boolean {
  const [local = "", domain = "", ...more] = text.split("@");
  if (more.length > 0 || charactersIn(text) > 254) return false;
  const labels = domain.split(".");
  return (
    local.split(".").every((part) => /^[^\s<>()[\]",:;\\]+$/.test(part)) &&
    labels.length > 1 &&
    labels.every((label) => /^[^\s<>()[\]",:;\\]{1,63}$/.test(label) && !/^-|-$/.test(label))
  );
}

function charactersIn(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) {
      pairs++;
      at++;
    }
  }
  return text.length - pairs;
}

const characters = (count: number) => `${count} ${count === 1 ? "character" : "characters"}`;
const isEmptyArray = (value: unknown) => Array.isArray(value) && value.length === 0;
