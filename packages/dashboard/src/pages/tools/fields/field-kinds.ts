import type { FieldValidation, FormField } from "@foyer/contract";

type Type = FormField["type"];

/** The 11 types in words, in the order in which they are offered. */
export const fieldKinds: Record<Type, string> = {
  text: "Text",
  textarea: "Long text",
  email: "E-mail",
  tel: "Phone",
  number: "Number",
  select: "One of several",
  multiselect: "Any of several",
  date: "Date",
  datetime: "Date and time",
  image: "Image",
  file: "File",
};

export const fieldTypes = Object.keys(fieldKinds) as Type[];

type RuleName = Exclude<keyof FieldValidation, "required">;

/** The rules besides `required` that a type has. */
export function rulesOf(type: Type): RuleName[] {
  if (type === "text" || type === "email" || type === "tel" || type === "textarea")
    return ["minLength", "maxLength", "pattern"];
  return type === "number" || type === "date" || type === "datetime" ? ["min", "max"] : [];
}

export const hasOptions = (type: Type) => type === "select" || type === "multiselect";
export const hasFile = (type: Type) => type === "file" || type === "image";

/** What changes in a field as it gets another type: what that type does not have goes, what it needs comes. */
export function asType(field: FormField, type: Type): { [Name in keyof FormField]?: FormField[Name] | undefined } {
  const rules = field.validation ?? {};
  const isSameMeasure = rulesOf(type).includes("min") && field.type === type;
  const kept = rulesOf(type).filter((rule) => (rule === "min" || rule === "max" ? isSameMeasure : true));
  const validation = Object.fromEntries(
    Object.entries(rules).filter(([rule]) => rule === "required" || kept.some((name) => name === rule)),
  );
  const isTemplate = field.defaultValue?.includes("{{") === true;
  const isText = rulesOf(type).includes("pattern") && rulesOf(field.type).includes("pattern");
  return {
    type,
    validation: Object.keys(validation).length > 0 ? validation : undefined,
    options: hasOptions(type) ? (field.options ?? [{ label: "First", value: "first" }]) : undefined,
    defaultValue: !hasFile(type) && (isTemplate || isText) ? field.defaultValue : undefined,
    placeholder: hasFile(type) || type === "multiselect" ? undefined : field.placeholder,
  };
}
