/** The default texts of a form. The API returns exactly these; the widget replaces them with the visitor's language. */
export const defaultFormTexts = { submitLabel: "Submit", successMessage: "Submitted", errorMessage: "Error" } as const;

type FormTextName = keyof typeof defaultFormTexts;

/** The text that the form's author wrote; undefined when it is missing, empty or the default. */
export function ownFormText(texts: { [Name in FormTextName]?: string }, name: FormTextName): string | undefined {
  const text = texts[name];
  return text && text !== defaultFormTexts[name] ? text : undefined;
}
