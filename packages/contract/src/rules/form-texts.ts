/**
 * The texts of a form that sets none. The API answers with these exact words, and the widget shows the visitor's own
 * language in their place.
 */
export const defaultFormTexts = { submitLabel: "Submit", successMessage: "Submitted", errorMessage: "Error" } as const;

type FormTextName = keyof typeof defaultFormTexts;

/** The text that the form's author wrote; undefined when it is missing, empty, or the default word. */
export function ownFormText(texts: { [Name in FormTextName]?: string }, name: FormTextName): string | undefined {
  const text = texts[name];
  return text && text !== defaultFormTexts[name] ? text : undefined;
}
