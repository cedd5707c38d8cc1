import type { FieldType } from "../rules/field-types.ts";
import { labelText } from "./field-label.ts";
import type { FormField } from "./form.ts";

/**
 * The information about a field type that a form editor needs. It is a separate module, so that visitors' pages do not
 * load it.
 */
export type FieldEditor = {
  name: string;
  hasPlaceholder: boolean;
  labelHelp?: string;
  /** Help for the default value; null for types that cannot have one. */
  defaultHelp: string | null;
  /** Whether a template such as `{{user.name}}` can have other text around it. */
  mixesTemplates?: true;
  /** An answer for test deliveries. It follows the field's own rules where that is possible without guessing. */
  sample: (field: FormField, today: Date) => unknown;
};

const textHelp = "Use a template such as {{user.email}} to fill in what the page or the chat knows about the visitor.";

/** Every field type, in the order in which an editor offers them. */
export const fieldEditors: Record<FieldType, FieldEditor> = {
  text: {
    name: "Text",
    hasPlaceholder: true,
    defaultHelp: textHelp,
    mixesTemplates: true,
    sample: sampleText,
  },
  textarea: {
    name: "Long text",
    hasPlaceholder: true,
    defaultHelp: textHelp,
    mixesTemplates: true,
    sample: sampleText,
  },
  email: {
    name: "Email",
    hasPlaceholder: true,
    defaultHelp: textHelp,
    sample: (field) => literalDefault(field) ?? "test@example.com",
  },
  tel: {
    name: "Phone",
    hasPlaceholder: true,
    defaultHelp: textHelp,
    sample: (field) => literalDefault(field) ?? fitLength("+49 40 555 0112", field),
  },
  number: {
    name: "Number",
    hasPlaceholder: true,
    defaultHelp: textHelp,
    sample: (field) => sampleFromBounds(field) ?? 1,
  },
  select: {
    name: "Single choice",
    hasPlaceholder: true,
    defaultHelp: "The value of the initially selected option, or a template.",
    sample: (field) => literalDefault(field) || firstOption(field),
  },
  multiselect: {
    name: "Multiple choice",
    hasPlaceholder: false,
    defaultHelp: "The values of the initially selected options, separated by commas, or a template.",
    sample: (field) =>
      literalDefault(field)
        ?.split(",")
        .map((part) => part.trim()) ?? [firstOption(field)],
  },
  date: {
    name: "Date",
    hasPlaceholder: true,
    defaultHelp: "A date such as 2026-01-31, or a template.",
    sample: (field, today) => sampleFromBounds(field) ?? today.toISOString().slice(0, 10),
  },
  datetime: {
    name: "Date and time",
    hasPlaceholder: true,
    defaultHelp: "A date and time such as 2026-01-31T09:30, or a template.",
    sample: (field, today) => sampleFromBounds(field) ?? today.toISOString().slice(0, 16),
  },
  image: {
    name: "Image",
    hasPlaceholder: false,
    defaultHelp: null,
    // One black pixel.
    sample: () =>
      "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==",
  },
  checkbox: {
    name: "Checkbox",
    hasPlaceholder: false,
    labelHelp: "To link to a page, write [privacy policy](https://example.com/privacy).",
    defaultHelp:
      "Enter true to select the checkbox initially. A required checkbox always starts empty, because visitors must agree themselves.",
    sample: () => true,
  },
  file: {
    name: "File",
    hasPlaceholder: false,
    defaultHelp: null,
    sample: () => "data:text/plain;base64,QSB0ZXN0Lg==",
  },
};

/**
 * A sample answer for every field that satisfies its rules as far as possible. A pattern is satisfied only by the
 * default value.
 */
export function sampleAnswers(fields: readonly FormField[], today = new Date()): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field.name, fieldEditors[field.type].sample(field, today)]));
}

function literalDefault({ defaultValue }: FormField): string | undefined {
  return defaultValue?.includes("{{") ? undefined : defaultValue;
}

function sampleText(field: FormField): string {
  return literalDefault(field) ?? fitLength(`Test: ${labelText(field)}`, field);
}

function sampleFromBounds(field: FormField): string | number | undefined {
  return literalDefault(field) ?? field.validation?.min?.value ?? field.validation?.max?.value;
}

function firstOption({ options }: FormField): string {
  return options?.[0]?.value ?? "";
}

/** Pads or truncates the text to the length that the rules require. */
function fitLength(text: string, { validation: { minLength, maxLength } = {} }: FormField): string {
  const padded = text.padEnd(minLength?.value ?? 0, ".");
  return maxLength ? Array.from(padded).slice(0, maxLength.value).join("") : padded;
}
