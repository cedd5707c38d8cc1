import type { PlacedText } from "./pdf-lines.ts";

/** What pdf.js says about an annotation. Only the properties that show text are named. */
export type Annotation = {
  subtype?: string;
  fieldType?: string | null;
  fieldValue?: unknown;
  exportValue?: string;
  buttonValue?: string | null;
  checkBox?: boolean;
  radioButton?: boolean;
  password?: boolean;
  hidden?: boolean;
  annotationFlags?: number;
  rect?: number[];
  options?: ReadonlyArray<{ exportValue?: string; displayValue?: string }>;
  contentsObj?: { str?: string };
};

/** The flags of annotations that are hidden or not shown on screens, see ISO 32000, 12.5.3. */
const HIDDEN_FLAGS = 2 | 32;

/** The texts that annotations show on the page: the values of form fields, and texts that were written on it. */
export function readAnnotations(annotations: readonly Annotation[]): PlacedText[] {
  return annotations.flatMap((annotation) => {
    const { rect, hidden, annotationFlags = 0 } = annotation;
    if (hidden || annotationFlags & HIDDEN_FLAGS || !rect) return [];
    const text = readText(annotation).trim();
    const [from = 0, bottom = 0, , top = 0] = rect;
    return text === "" ? [] : [{ text, from, bottom, top }];
  });
}

function readText(annotation: Annotation): string {
  const { subtype, fieldType, fieldValue, password, options = [] } = annotation;
  if (subtype === "FreeText") return annotation.contentsObj?.str ?? "";
  if (subtype !== "Widget" || password) return "";
  if (fieldType === "Btn") return readButton(annotation);
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === "string");
  return values
    .map((value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value)
    .join(", ");
}

/** A box or button that is ticked or not. Buttons that do something show no value. */
function readButton({ checkBox, radioButton, fieldValue, exportValue, buttonValue }: Annotation): string {
  if (checkBox) return fieldValue === exportValue && fieldValue !== "Off" ? "[x]" : "[ ]";
  if (radioButton) return fieldValue !== null && fieldValue === buttonValue ? "[x]" : "[ ]";
  return "";
}
