import type { DetailCode } from "../error.ts";
import type { FormField } from "../form.ts";
import { measureOf } from "./answer-measure.ts";
import { declaredType, MAX_FILE_BYTES, parseDataUrl } from "./data-url.ts";
import { labelText } from "./field-label.ts";
import { type AnswerKind, describeField } from "./field-types.ts";

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
 * - A `checkbox` is true or false. `required` means that it has to be true, as for consent.
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
    const broken = brokenRule({ field, value, compilePattern, file: files?.get(field.name) });
    if (!broken) return [];
    const message = broken.rule?.message || `${labelText(field)} ${broken.words}`;
    return [{ field: field.name, code: broken.code, message }];
  });
}

/** `words` follow the field's label. Without a `rule`, the value is of the wrong kind and no rule's own message applies. */
type Broken = { code: DetailCode; words: string; rule?: { message?: string } };

type Checked = { field: FormField; value: unknown; compilePattern: CompilePattern; file: TakenFile | undefined };

function brokenRule(checked: Checked): Broken | null {
  const { field, value, file } = checked;
  const { answer } = describeField(field);
  const required = field.validation?.required;
  const missing = answer === "boolean" ? "must be ticked" : "is required";
  if (required?.value && typeof value === "string" && value.trim() === "" && answer !== "file") {
    return { words: missing, code: "required", rule: required };
  }
  if (required?.value && answer === "boolean" && value === false) {
    return { words: missing, code: "required", rule: required };
  }
  if (!(answer === "file" && file) && (value === undefined || value === null || value === "" || isEmptyArray(value))) {
    return required?.value ? { code: "required", words: missing, rule: required } : null;
  }
  return checks[answer](checked);
}

/** What is wrong with a value that was given, by what the answer holds. */
const checks: Record<AnswerKind, (checked: Checked) => Broken | null> = {
  text: brokenByText,
  number: brokenByBounds,
  date: brokenByBounds,
  datetime: brokenByBounds,
  choice: ({ field, value }) => {
    if (typeof value !== "string") return wrongKind(field, "type");
    const isOption = field.options?.some((option) => option.value === value);
    return isOption ? null : { code: "enum", words: "must be one of the options" };
  },
  choices: brokenByChoices,
  boolean: ({ field, value }) => (typeof value === "boolean" ? null : wrongKind(field, "type")),
  file: brokenByFile,
};

function wrongKind(field: FormField, code: "type" | "format"): Broken {
  return { code, words: `must be ${describeField(field).expects}` };
}

function brokenByText({ field, value, compilePattern }: Checked): Broken | null {
  if (typeof value !== "string") return wrongKind(field, "type");
  const { minLength, maxLength, pattern } = field.validation ?? {};
  if (describeField(field).format === "email" && !isEmail(value)) {
    return { code: "format", words: "must be an email address (name@example.com)" };
  }
  const length = minLength || maxLength ? charactersIn(value) : 0;
  if (minLength && length < minLength.value) {
    return { code: "min_length", words: `must have at least ${characters(minLength.value)}`, rule: minLength };
  }
  if (maxLength && length > maxLength.value) {
    return { code: "max_length", words: `must have at most ${characters(maxLength.value)}`, rule: maxLength };
  }
  if (pattern && !compilePattern(pattern.value).test(value)) {
    return { code: "pattern", words: "is not in the expected format", rule: pattern };
  }
  return null;
}

function brokenByBounds({ field, value }: Checked): Broken | null {
  const { type, validation: { min, max } = {} } = field;
  const measure = measureOf(type, value);
  if (measure === null) return wrongKind(field, "format");
  const lowest = measureOf(type, min?.value);
  const highest = measureOf(type, max?.value);
  const [notLess, notMore] =
    describeField(field).answer === "number" ? ["be at least", "be at most"] : ["not be before", "not be after"];
  if (min && lowest !== null && measure < lowest) {
    return { code: "min", words: `must ${notLess} ${min.value}`, rule: min };
  }
  if (max && highest !== null && measure > highest) {
    return { code: "max", words: `must ${notMore} ${max.value}`, rule: max };
  }
  return null;
}

function brokenByChoices({ field, value }: Checked): Broken | null {
  if (!Array.isArray(value)) return wrongKind(field, "type");
  const known = new Set<unknown>(field.options?.map((option) => option.value));
  if (!value.every((choice) => known.has(choice))) return { code: "enum", words: "must hold only the options" };
  if (new Set(value).size === value.length) return null;
  return { code: "duplicate", words: "must hold every option only once" };
}

function brokenByFile({ field, value, file }: Checked): Broken | null {
  const parsed = file ? null : typeof value === "string" ? parseDataUrl(value) : null;
  const size = file?.size ?? parsed?.size;
  if (size === undefined) return wrongKind(field, "format");
  const { mediaType = "" } = describeField(field);
  const declared = file ? declaredType(file.prefix) : parsed?.mediaType;
  if (!declared?.startsWith(mediaType)) return { code: "file_type", words: "must be an image" };
  return size > MAX_FILE_BYTES ? { code: "file_size", words: "must not be larger than 5 MB" } : null;
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
