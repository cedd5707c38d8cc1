import type { FormField } from "@foyer/contract";
import { createAnswerText } from "@foyer/contract/rules/answer-text";
import { labelText } from "@foyer/contract/rules/field-label";
import { holdsFile } from "@foyer/contract/rules/field-types";
import type { FormValues } from "./field-values.ts";
import { readNumber } from "./read-number.ts";

type Filled = { values: FormValues; files: Readonly<Record<string, { name: string }>> };

export type Answers = ReadonlyArray<{ label: string; text: string }>;

/** The submitted answers as people read them. Fields without an answer are left out. */
export function toAnswers(
  fields: readonly FormField[],
  { values, files }: Filled,
  { locale, yes, no }: { locale: string; yes: string; no: string },
): Answers {
  const answerText = createAnswerText({ locale, dateStyle: "long", yes, no });
  return fields.flatMap((field) => {
    const value = values[field.name];
    const number = field.type === "number" && typeof value === "string" ? readNumber(value) : null;
    const text = holdsFile(field) ? (files[field.name]?.name ?? "") : answerText(field, number ?? value);
    return text === "" ? [] : [{ label: labelText(field), text }];
  });
}
