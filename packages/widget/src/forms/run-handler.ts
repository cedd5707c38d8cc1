import { type ClientResult, FoyerError, type Request, reportClientResult } from "@foyer/sdk";
import type { FormHandler, FormSubmissionFacts } from "../foyer-api.ts";

/** The time after which a handler counts as failed, in milliseconds. */
const TIMEOUT_MS = 60_000;
const RETRY_DELAYS_MS = [1_000, 5_000, 20_000, 60_000, 300_000];
const MAX_CHARACTERS = 10_000;

/**
 * The outcome of the site's form handler. `shown` is its message for the visitor. Its errors are for the site's
 * developer.
 */
export type HandlerOutcome = { result: Omit<ClientResult, "submissionId">; shown: string | null };

/** Runs the site's handler for a submission. Never rejects: an error or a timeout is an outcome as well. */
export async function runHandler(
  handlers: ReadonlyMap<string, FormHandler>,
  {
    name,
    formData,
    facts,
    timeoutMs = TIMEOUT_MS,
  }: {
    name: string | null;
    formData: Record<string, unknown>;
    facts: FormSubmissionFacts;
    timeoutMs?: number | undefined;
  },
): Promise<HandlerOutcome> {
  const handler = name === null ? undefined : handlers.get(name);
  if (!handler) {
    const message =
      name === null
        ? `The form ${facts.toolName} does not name a client handler.`
        : `No form handler named "${name}" is registered on this page.`;
    // biome-ignore lint/suspicious/noConsole: the site's developer looks here for a missing handler
    console.warn(`Foyer: ${message} Call Foyer.registerFormHandler("${name ?? "…"}", …).`);
    return { result: { success: false, message }, shown: null };
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The form handler "${name}" timed out.`)), timeoutMs);
  });
  try {
    const outcome = await Promise.race([(async () => handler(formData, facts))(), timeout]);
    const { success = true, message, data } = outcome ?? {};
    const shown = typeof message === "string" && message !== "" ? message : null;
    return { result: { success: success !== false, ...toTextPart(shown), ...toDataPart(data) }, shown };
  } catch (error) {
    reportError(error);
    return {
      result: { success: false, ...toTextPart(error instanceof Error ? error.message : String(error)) },
      shown: null,
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Reports the outcome to the server and retries while the server cannot be reached. Resolves in any case. */
export async function reportResult(request: Request, result: ClientResult, waits = RETRY_DELAYS_MS): Promise<void> {
  for (const wait of [...waits, null]) {
    try {
      return await reportClientResult(request, result);
    } catch (error) {
      if (wait === null || !(error instanceof FoyerError) || !error.isTemporary) return;
      await waitUntilOnline(Math.max(wait, (error.retryAfter ?? 0) * 1_000));
    }
  }
}

const toTextPart = (message: string | null) => (message ? { message: message.slice(0, MAX_CHARACTERS) } : {});

/** Data that is not a plain JSON object is not sent. */
function toDataPart(data: unknown): { data?: Record<string, unknown> } {
  try {
    const copy = data === undefined ? null : JSON.parse(JSON.stringify(data));
    return typeof copy === "object" && copy !== null && !Array.isArray(copy) ? { data: copy } : {};
  } catch {
    return {};
  }
}

/** Waits for the time given, or until the browser is online again. */
function waitUntilOnline(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    addEventListener("online", done);
  });
}
