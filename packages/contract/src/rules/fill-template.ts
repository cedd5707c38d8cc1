/** A name holds no braces, so no character is looked at by more than one attempt and the search stays linear. */
const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * Puts values in the place of `{{name}}`; spaces around the name are ignored. Values go in as they are: what looks like
 * a placeholder in one is text.
 * @param values `undefined` where there is no such value; look names up as own properties only
 * @param missing what stands where there is no value; nothing by default
 */
export function fillTemplate(
  template: string,
  values: (name: string) => string | undefined,
  missing: (name: string) => string = () => "",
): string {
  return template.replace(placeholder, (text, between: string) => {
    const name = between.trim();
    return name === "" ? text : (values(name) ?? missing(name));
  });
}

/** The names that a template asks for, each once, in order. `{{}}` asks for nothing and is text. */
export function placeholdersOf(template: string): string[] {
  const names = template.matchAll(placeholder).map(([, between = ""]) => between.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}
