/** The rules that a field can have besides `required`. */
export type FieldRule = "minLength" | "maxLength" | "min" | "max" | "pattern";

/**
 * The kind of value of an answer. It decides how the answer is checked, compared, sent and shown. Every program that
 * handles answers has one table or switch over these kinds, so the compiler names each place to extend when a kind is
 * added.
 */
export type AnswerKind = "text" | "number" | "date" | "datetime" | "choice" | "choices" | "boolean" | "file";

type FieldTypeDescriptor = {
  answer: AnswerKind;
  /** Completes the error message `must be …`, such as `a number`. */
  expects: string;
  rules: readonly FieldRule[];
  /** Whether the field has `options` and requires them. */
  hasOptions?: true;
  /** A format that every text answer must have, whatever the rules. */
  format?: "email";
  /** Whether a text answer keeps its line breaks. */
  isMultiline?: true;
  /** The required start of a file's media type. */
  mediaType?: string;
  /** Whether `[text](address)` in the label is a link. The labels of other types are plain text. */
  hasLinks?: true;
};

const textRules = ["minLength", "maxLength", "pattern"] as const;
const boundRules = ["min", "max"] as const;

/** Every field type, in the order of the API's documentation. */
export const fieldTypes = {
  text: { answer: "text", expects: "text", rules: textRules },
  email: { answer: "text", expects: "text", rules: textRules, format: "email" },
  tel: { answer: "text", expects: "text", rules: textRules },
  number: { answer: "number", expects: "a number", rules: boundRules },
  textarea: { answer: "text", expects: "text", rules: textRules, isMultiline: true },
  select: { answer: "choice", expects: "text", rules: [], hasOptions: true },
  multiselect: { answer: "choices", expects: "a list", rules: [], hasOptions: true },
  date: { answer: "date", expects: "a date (2026-01-31)", rules: boundRules },
  datetime: { answer: "datetime", expects: "a date and time (2026-01-31T09:30)", rules: boundRules },
  file: { answer: "file", expects: "a file (a base64 data URL)", rules: [] },
  image: { answer: "file", expects: "an image (a base64 data URL)", rules: [], mediaType: "image/" },
  checkbox: { answer: "boolean", expects: "true or false", rules: [], hasLinks: true },
} as const satisfies Record<string, FieldTypeDescriptor>;
export type FieldType = keyof typeof fieldTypes;

/** The descriptor of a field type, with its optional members. */
export function describeField({ type }: { type: FieldType }): FieldTypeDescriptor {
  return fieldTypes[type];
}

/** Whether answers of this type are files, which are stored and sent apart from the other answers. */
export function holdsFile(field: { type: FieldType }): boolean {
  return describeField(field).answer === "file";
}
