import { type ClientResult, FoyerError, type Request, reportClientResult } from "@foyer/sdk";
import type { FormHandler, FormSubmissionFacts } from "../foyer-api.ts";

/** After this long a handler counts as failed, whatever it still does. */
const PATIENCE = 60_000;
const REPORT_WAITS = [1_000, 5_000, 20_000, 60_000, 300_000];
const MOST_CHARACTERS = 10_000;

/** How the site's own code did. `shown` is what it wants the visitor to read; its errors are for who made the page. */
export type HandlerOutcome = { result: Omit<ClientResult, "submissionId">; shown: string | null };

/** Runs the site's handler for a submission. Whatever it does, there is an outcome. */
export async function runHandler(
  handlers: ReadonlyMap<string, FormHandler>,
  name: string | null,
  formData: Record<string, unknown>,
  facts: FormSubmissionFacts,
  patience = PATIENCE,
): Promise<HandlerOutcome> {
  const handler = name === null ? undefined : handlers.get(name);
  if (!handler) {
    const message =
      name === null
        ? `The form ${facts.toolName} names no client handler.`
        : `No form handler named "${name}" is registered on this page.`;
    // biome-ignore lint/suspicious/noConsole: the only place where the site's maker looks for what is missing
    console.warn(`Foyer: ${message} Call Foyer.registerFormHandler("${name ?? "…"}", …).`);
    return { result: { success: false, message }, shown: null };
  }
  const clock = Promise.withResolvers<never>();
  const timer = setTimeout(() => clock.reject(new Error(`The form handler "${name}" did not end in time.`)), patience);
  try {
    const said = await Promise.race([(async () => handler(formData, facts))(), clock.promise]);
    const { success = true, message, data } = said ?? {};
    const shown = typeof message === "string" && message !== "" ? message : null;
    return { result: { success: success !== false, ...textFor(shown), ...dataFor(data) }, shown };
  } catch (error) {
    reportError(error);
    return {
      result: { success: false, ...textFor(error instanceof Error ? error.message : String(error)) },
      shown: null,
    };
  } finally {
    clearTimeout(timer);
  }
}

/** Tells the server, again and again while it cannot be reached. Resolves when it knows, refuses, or is given up. */
export async function reportUntilHeard(request: Request, result: ClientResult, waits = REPORT_WAITS): Promise<void> {
  for (const wait of [...waits, null]) {
    try {
      return await reportClientResult(request, result);
    } catch (error) {
      if (wait === null || !(error instanceof FoyerError) || !error.isTemporary) return;
      await online(Math.max(wait, (error.retryAfter ?? 0) * 1_000));
    }
  }
}

const textFor = (message: string | null) => (message ? { message: message.slice(0, MOST_CHARACTERS) } : {});

/** What cannot be written down, or is no object, stays on the page. */
function dataFor(data: unknown): { data?: Record<string, unknown> } {
  try {
    const copy = data === undefined ? null : JSON.parse(JSON.stringify(data));
    return typeof copy === "object" && copy !== null && !Array.isArray(copy) ? { data: copy } : {};
  } catch {
    return {};
  }
}

/** Waits so long, or until the network is back. */
function online(milliseconds: number): Promise<void> {
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
