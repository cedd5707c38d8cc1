/** Limits for a single file. The API returns these values. A text of 10 MB has at most as many characters. */
export const fileLimits = {
  maxFileBytes: 25 * 1024 * 1024,
  maxPages: 2_000,
  maxCharacters: 10_500_000,
} as const;
