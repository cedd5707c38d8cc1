/** The languages of the widget, by their own names. */
export const languages = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["fr", "Français"],
  ["es", "Español"],
  ["it", "Italiano"],
  ["pt", "Português"],
  ["nl", "Nederlands"],
  ["pl", "Polski"],
  ["tr", "Türkçe"],
  ["ar", "العربية"],
  ["ja", "日本語"],
  ["zh", "中文"],
].map(([value = "", label = ""]) => ({ value, label }));

/** The name of a language tag, or the tag itself if the language is not in the list. */
export function findLanguage(tag: string): string {
  return languages.find(({ value }) => value === tag.toLowerCase())?.label ?? tag;
}
