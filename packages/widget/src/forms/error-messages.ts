import { FoyerError } from "@foyer/sdk";
import { interpolate } from "../locales/load-messages.ts";
import type { FormPanel } from "./form-panel.ts";

/**
 * Why a form could not be submitted. `until` is the earliest time for a retry in milliseconds since 1970, or null if
 * there is no wait or no retry.
 */
export type Failure = { text: string; until: number | null; canRetry: boolean };

/** Translates a submission error for the visitor. The server's own message is for the site's developer. */
export function toFailure(error: unknown, messages: FormPanel["messages"], hasFiles: boolean): Failure {
  const known = error instanceof FoyerError ? error : null;
  const retryMessage = (text: string, seconds: number | null) => ({
    text: interpolate(text, { seconds: seconds ?? 0 }),
    canRetry: true,
    until: seconds === null ? null : Date.now() + seconds * 1_000,
  });
  if (known === null) return retryMessage(messages.formFailed, null);
  if (known.code === "UNREACHABLE") return retryMessage(messages.formUnreachable, null);
  if (known.status === 429) return retryMessage(messages.formTooMany, known.retryAfter ?? 60);
  const finalMessage = (text: string) => ({ text, until: null, canRetry: false });
  if (known.status === 413 || known.code === "FILE_TOO_LARGE") {
    return finalMessage(hasFiles ? messages.filesTooLarge : messages.formFailed);
  }
  if (known.status === 404) return finalMessage(messages.formGone);
  if (known.status === 403) return finalMessage(messages.formRefused);
  return known.isTemporary ? retryMessage(messages.busy, known.retryAfter) : finalMessage(messages.formFailed);
}
