import { FoyerError } from "@foyer/sdk";
import type { Words } from "../locales/en.ts";
import { interpolate } from "../locales/load-messages.ts";

/** Why a form did not go out. `until` is when it may be tried again (milliseconds since 1970); null when now, or never. */
export type Failure = { text: string; until: number | null; canRetry: boolean };

/** What an error of a submission means to the visitor. The server's own words are for who made the page. */
export function failureOf(error: unknown, words: Words, hasFiles: boolean): Failure {
  const known = error instanceof FoyerError ? error : null;
  const later = (text: string, seconds: number | null) => ({
    text: interpolate(text, { seconds: seconds ?? 0 }),
    canRetry: true,
    until: seconds === null ? null : Date.now() + seconds * 1_000,
  });
  if (known === null) return later(words.formFailed, null);
  if (known.code === "UNREACHABLE") return later(words.formUnreachable, null);
  if (known.status === 429) return later(words.formTooMany, known.retryAfter ?? 60);
  const final = (text: string) => ({ text, until: null, canRetry: false });
  if (known.status === 413 || known.code === "FILE_TOO_LARGE") {
    return final(hasFiles ? words.filesTooLarge : words.formFailed);
  }
  if (known.status === 404) return final(words.formGone);
  if (known.status === 403) return final(words.formRefused);
  return known.isTemporary ? later(words.busy, known.retryAfter) : final(words.formFailed);
}
