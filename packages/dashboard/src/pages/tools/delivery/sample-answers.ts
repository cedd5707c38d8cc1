import type { FormField } from "@foyer/contract";

/** One black pixel. */
const image =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
const file = "data:text/plain;base64,QSB0ZXN0Lg==";

/**
 * An answer to every field that its rules let through, as far as they can be met without knowing what they mean: a pattern is met by the
 * default value only.
 */
export function sampleAnswers(fields: readonly FormField[], today = new Date()): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, sampleAnswer(field, today)]));
}

function sampleAnswer(field: FormField, today: Date): unknown {
  const { type, defaultValue, options = [], validation: { min, max } = {} } = field;
  const first = options[0]?.value ?? "";
  const own = defaultValue !== undefined && !defaultValue.includes("{{") ? defaultValue : undefined;
  switch (type) {
    case "image":
      return image;
    case "file":
      return file;
    case "select":
      return own || first;
    case "multiselect":
      return own ? own.split(",").map((part) => part.trim()) : [first];
    case "number":
      return own ?? min?.value ?? max?.value ?? 1;
    case "date":
      return own ?? min?.value ?? max?.value ?? today.toISOString().slice(0, 10);
    case "datetime":
      return own ?? min?.value ?? max?.value ?? today.toISOString().slice(0, 16);
    case "email":
      return own ?? "test@example.com";
    default:
      return own ?? fitted(type === "tel" ? "+49 40 555 0112" : `Test: ${field.label || field.name}`, field);
  }
}

/** As long as the rules want it. */
function fitted(text: string, { validation: { minLength, maxLength } = {} }: FormField): string {
  const long = text.padEnd(minLength?.value ?? 0, ".");
  return maxLength ? Array.from(long).slice(0, maxLength.value).join("") : long;
}
