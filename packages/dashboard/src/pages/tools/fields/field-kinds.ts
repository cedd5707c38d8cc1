import type { FieldType, FormField } from "@foyer/contract";
import { fieldEditors } from "@foyer/contract/rules/field-editor";
import { describeField } from "@foyer/contract/rules/field-types";

/** All field types with their names, in menu order. */
export const typeChoices = Object.entries(fieldEditors).map(([value, { name }]) => ({
  value: value as FieldType,
  label: name,
}));

/**
 * The changes to a field that gets another type. Settings that the new type does not have are removed, and options are
 * added if it needs them. Rules are kept only if both types hold the same kind of answer, because bounds of numbers
 * and dates have different formats.
 */
export function changesForType(
  field: FormField,
  type: FieldType,
): { [Name in keyof FormField]?: FormField[Name] | undefined } {
  const [before, after] = [describeField(field), describeField({ type })];
  const isSameKind = before.answer === after.answer;
  const rules = Object.entries(field.validation ?? {}).filter(([rule]) => rule === "required" || isSameKind);
  const isTemplate = field.defaultValue?.includes("{{") === true;
  const { defaultHelp, hasPlaceholder } = fieldEditors[type];
  return {
    type,
    validation: rules.length > 0 ? Object.fromEntries(rules) : undefined,
    options: after.hasOptions ? (field.options ?? [{ label: "First", value: "first" }]) : undefined,
    defaultValue:
      defaultHelp !== null && (isTemplate || (isSameKind && after.answer === "text")) ? field.defaultValue : undefined,
    placeholder: hasPlaceholder ? field.placeholder : undefined,
  };
}
