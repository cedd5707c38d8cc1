import type { DetailCode } from "../error.ts";
import { measureAnswer } from "../rules/answer-measure.ts";
import { declaredType, MAX_FILE_BYTES, parseDataUrl } from "../rules/data-url.ts";
import { type AnswerKind, describeField } from "../rules/field-types.ts";
import { labelText } from "./field-label.ts";
import type { FormField } from "./form.ts";

/** Why a field's value is rejected: a machine-readable code, and a message for the visitor. */
export type FieldProblem = { field: string; code: DetailCode; message: string };

/** Passed in, so that the server can run patterns in linear time while the browser needs no second engine. */
export type CompilePattern = (pattern: string) => { test(value: string): boolean };

/** A decoded file that was removed from the data: its data URL up to and including the comma, and its size. */
export type ExtractedFile = { prefix: string; size: number };

/**
 * Validates a form's data. Returns the first violated rule of each invalid field, in field order. The message is the
 * rule's own, if it has one.
 * - An empty text, `null`, a missing value and `[]` count as not given. Only `required` refuses them; it also refuses
 * blank text.
 * - The length of text is counted in code points. `pattern` may match anywhere in the value and is tested last, so
 * never with text that is too long. A `tel` has no format, as in HTML, because spellings vary too much.
 * - A `number` is a number, or text such as `-1.5` or `1e3` without spaces.
 * - A `date` or `datetime` must exist in the calendar. Bounds are compared as instants, in UTC without a zone.
 * - A `checkbox` is true or false. `required` means that it must be true, as for consent.
 * - A `select` is one of the options' values; a `multiselect` is always an array of distinct ones.
 * - A `file` or `image` is a base64 data URL of at most `MAX_FILE_BYTES` decoded. An image is any file that is declared
 *   as one.
 * - Disabled fields are checked like others. Unknown fields are ignored.
 * @param files files that were removed from the data, by field
 * @throws only what `compilePattern` throws, because patterns are validated when a form is saved
 */
export function validateForm(
  fields: readonly FormField[],
  data: Record<string, unknown>,
  { compilePattern, files }: { compilePattern: CompilePattern; files?: ReadonlyMap<string, ExtractedFile> | undefined },
): FieldProblem[] {
  return fields.flatMap((field) => {
    const value = Object.hasOwn(data, field.name) ? data[field.name] : undefined;
    const broken = findBrokenRule({ field, value, compilePattern, file: files?.get(field.name) });
    if (!broken) return [];
    const message = broken.rule?.message || `${labelText(field)} ${broken.phrase}`;
    return [{ field: field.name, code: broken.code, message }];
  });
}

/**
 * `phrase` follows the field's label. Without a `rule`, the value has the wrong type, and no custom message of a rule
 * applies.
 */
type Broken = { code: DetailCode; phrase: string; rule?: { message?: string } };

type Checked = { field: FormField; value: unknown; compilePattern: CompilePattern; file: ExtractedFile | undefined };

function findBrokenRule(checked: Checked): Broken | null {
  const { field, value, file } = checked;
  const { answer } = describeField(field);
  const required = field.validation?.required;
  const missing = answer === "boolean" ? "must be ticked" : "is required";
  if (required?.value && typeof value === "string" && value.trim() === "" && answer !== "file") {
    return { phrase: missing, code: "required", rule: required };
  }
  if (required?.value && answer === "boolean" && value === false) {
    return { phrase: missing, code: "required", rule: required };
  }
  if (!(answer === "file" && file) && (value === undefined || value === null || value === "" || isEmptyArray(value))) {
    return required?.value ? { code: "required", phrase: missing, rule: required } : null;
  }
  return checks[answer](checked);
}

/** The check of each kind of answer, for values that are not empty. */
const checks: Record<AnswerKind, (checked: Checked) => Broken | null> = {
  text: checkText,
  number: checkBounds,
  date: checkBounds,
  datetime: checkBounds,
  choice: ({ field, value }) => {
    if (typeof value !== "string") return toWrongKind(field, "type");
    const isOption = field.options?.some((option) => option.value === value);
    return isOption ? null : { code: "enum", phrase: "must be one of the options" };
  },
  choices: checkChoices,
  boolean: ({ field, value }) => (typeof value === "boolean" ? null : toWrongKind(field, "type")),
  file: checkFile,
};

function toWrongKind(field: FormField, code: "type" | "format"): Broken {
  return { code, phrase: `must be ${describeField(field).expects}` };
}

function checkText({ field, value, compilePattern }: Checked): Broken | null {
  if (typeof value !== "string") return toWrongKind(field, "type");
  const { minLength, maxLength, pattern } = field.validation ?? {};
  if (describeField(field).format === "email" && !isEmail(value)) {
    return { code: "format", phrase: "must be an email address (name@example.com)" };
  }
  const length = minLength || maxLength ? countCharacters(value) : 0;
  if (minLength && length < minLength.value) {
    return { code: "min_length", phrase: `must have at least ${formatCharacters(minLength.value)}`, rule: minLength };
  }
  if (maxLength && length > maxLength.value) {
    return { code: "max_length", phrase: `must have at most ${formatCharacters(maxLength.value)}`, rule: maxLength };
  }
  if (pattern && !compilePattern(pattern.value).test(value)) {
    return { code: "pattern", phrase: "is not in the expected format", rule: pattern };
  }
  return null;
}

function checkBounds({ field, value }: Checked): Broken | null {
  const { type, validation: { min, max } = {} } = field;
  const measure = measureAnswer(type, value);
  if (measure === null) return toWrongKind(field, "format");
  const lowest = measureAnswer(type, min?.value);
  const highest = measureAnswer(type, max?.value);
  const [notLess, notMore] =
    describeField(field).answer === "number" ? ["be at least", "be at most"] : ["not be before", "not be after"];
  if (min && lowest !== null && measure < lowest) {
    return { code: "min", phrase: `must ${notLess} ${min.value}`, rule: min };
  }
  if (max && highest !== null && measure > highest) {
    return { code: "max", phrase: `must ${notMore} ${max.value}`, rule: max };
  }
  return null;
}

function checkChoices({ field, value }: Checked): Broken | null {
  if (!Array.isArray(value)) return toWrongKind(field, "type");
  const known = new Set<unknown>(field.options?.map((option) => option.value));
  if (!value.every((choice) => known.has(choice)))
    return { code: "enum", phrase: "must contain only the listed options" };
  if (new Set(value).size === value.length) return null;
  return { code: "duplicate", phrase: "must contain each option only once" };
}

function checkFile({ field, value, file }: Checked): Broken | null {
  const parsed = file ? null : typeof value === "string" ? parseDataUrl(value) : null;
  const size = file?.size ?? parsed?.size;
  if (size === undefined) return toWrongKind(field, "format");
  const { mediaType = "" } = describeField(field);
  const declared = file ? declaredType(file.prefix) : parsed?.mediaType;
  if (!declared?.startsWith(mediaType)) return { code: "file_type", phrase: "must be an image" };
  return size > MAX_FILE_BYTES ? { code: "file_size", phrase: "must not be larger than 5 MB" } : null;
}

/**
 * One @, single dots between parts, a dot in the domain, and no domain label that starts or ends with a hyphen. No
 * character can start two parts, so matching is linear.
 */
function isEmail(text: string): boolean {
  const [local = "", domain = "", ...more] = text.split("@");
  if (more.length > 0 || countCharacters(text) > 254) return false;
  const labels = domain.split(".");
  return (
    local.split(".").every((part) => /^[^\s<>()[\]",:;\\]+$/.test(part)) &&
    labels.length > 1 &&
    labels.every((label) => /^[^\s<>()[\]",:;\\]{1,63}$/.test(label) && !/^-|-$/.test(label))
  );
}

function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    if ((text.codePointAt(at) ?? 0) > 0xffff) {
      pairs++;
      at++;
    }
  }
  return text.length - pairs;
}

const formatCharacters = (count: number) => `${count} ${count === 1 ? "character" : "characters"}`;
const isEmptyArray = (value: unknown) => Array.isArray(value) && value.length === 0;
