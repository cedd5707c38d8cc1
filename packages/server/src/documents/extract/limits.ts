/** Limits for a single file. The API returns these values. */
export const fileLimits = {
  maxFileBytes: 25 * 1024 * 1024,
  maxPages: 2_000,
  maxCharacters: 5_000_000,
} as const;
