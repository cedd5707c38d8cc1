/** What a single file may have. The API shows these values. */
export const fileLimits = {
  maxFileBytes: 25 * 1024 * 1024,
  maxPages: 2_000,
  maxCharacters: 5_000_000,
} as const;
