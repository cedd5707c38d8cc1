/** A name contains no braces, so each character is part of only one attempt and the search is linear. */
const placeholder = /\{\{([^{}]*)\}\}/g;

/**
 * Replaces `{{name}}` by values; spaces around the name are ignored. Placeholders within values are not replaced.
 * @param values returns the value of a name, or `undefined` if the name is unknown. It must look up own properties
 * only.
 * @param missing returns the replacement of an unknown name; empty by default
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

/** The distinct names in a template, in order. `{{}}` is plain text. */
export function findPlaceholders(template: string): string[] {
  const names = template.matchAll(placeholder).map(([, between = ""]) => between.trim());
  return [...new Set(names.filter((name) => name !== ""))];
}

/** The name in a template that is nothing but one placeholder, or null. */
export function findLonePlaceholder(template: string): string | null {
  return /^\{\{([^{}]*)\}\}$/.exec(template.trim())?.[1]?.trim() || null;
}
