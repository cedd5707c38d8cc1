/** The regular expressions of the contract's texts. */
export const textPatterns = {
  notBlank: "\\S",
  slug: "^[a-z0-9]+(-[a-z0-9]+)*$",
  modelName: "^(?!.*\\.\\.)[\\w.:@+-]+(/[\\w.:@+-]+)*$",
  toolName: "^[a-z_]+$",
  secretName: "^[A-Za-z_][A-Za-z0-9_]*$",
  oneLine: "^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$",
  noControlCharacters: "^[^\\u0000-\\u001f]+$",
  timeOfDay: "^([01]\\d|2[0-3]):[0-5]\\d$|^24:00$",
  date: "^\\d{4}-\\d{2}-\\d{2}$",
  currency: "^[A-Z]{3}$",
  base64Url: "^[A-Za-z0-9_-]+$",
  page: "^[/*]",
  ratingFilter: "^(any|none|[1-5](,[1-5]){0,4})$",
  versionName: "^(draft|[1-9]\\d{0,8})$",
  color: "^#[0-9a-fA-F]{6}$",
  languageTag: "^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*$",
  dnsLabel: "^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$",
  apiVersion: "^[A-Za-z0-9.-]+$",
  webAddress: "^https?://\\S+$",
} as const;

/** What a text must look like, as a phrase that follows the name of its field in an error. */
const messages: Record<keyof typeof textPatterns, string> = {
  notBlank: "must not be blank",
  slug: "must contain only lowercase letters, digits and single hyphens between them, such as bike-shop",
  modelName:
    "must be the name of a model, such as openai/gpt-5: parts of letters, digits and . : @ + - _, separated by a slash",
  toolName: "must contain only lowercase letters and underscores, such as leave_message",
  secretName: "must contain only letters, digits and underscores, such as SHOP_KEY, and not start with a digit",
  oneLine: "must be one line of text that is not blank",
  noControlCharacters: "must not contain line breaks, tabs or other control characters",
  currency: "must be the code of a currency with three capital letters, such as USD",
  timeOfDay: "must be a time between 00:00 and 24:00, such as 09:30",
  date: "must be a date such as 2026-12-25",
  base64Url: "must be base64url: letters, digits, hyphens and underscores",
  page: "must start with /, such as /pricing or /blog/**, or be ** for every page",
  ratingFilter: "must be any, none, or ratings from 1 to 5 separated by commas, such as 1,2",
  versionName: "must be a version such as 3, or draft",
  color: "must be a color such as #f59e0b: # and six hexadecimal digits",
  languageTag: "must be a language tag such as de or de-CH",
  dnsLabel: "must contain only letters, digits and hyphens, such as eu-central-1",
  apiVersion: "must contain only letters, digits, dots and hyphens, such as 2024-10-21",
  webAddress: "must be a URL that starts with https:// or http://, such as https://example.com/help",
};

const messageByPattern = new Map(
  Object.entries(messages).map(([name, message]): [string, string] => [
    textPatterns[name as keyof typeof textPatterns],
    message,
  ]),
);

/** The message for a text that does not match the pattern. A test checks that every pattern of a request has one. */
export function describePattern(pattern: string): string {
  return messageByPattern.get(pattern) ?? "is not in the expected format";
}
