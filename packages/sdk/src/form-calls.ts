import type { ClientResult, FormEvent, FormSubmit, SubmitResult } from "@foyer/contract";
import type { Request } from "./request.ts";
import { sendReport } from "./send-report.ts";
import { read } from "./visitor-calls.ts";

/**
 * @param token the token of the conversation that the body names; without it, the agent does not use the submission
 * @param idempotencyKey 1 to 255 visible ASCII characters; repeating the call with the same key creates no second
 * submission
 */
export function submitForm(
  request: Request,
  body: FormSubmit,
  { idempotencyKey, token, signal }: { idempotencyKey?: string; token?: string | undefined; signal?: AbortSignal } = {},
): Promise<SubmitResult> {
  const headers = idempotencyKey ? { "idempotency-key": idempotencyKey } : {};
  return read(request("/form-submissions/submit", { method: "POST", body, headers, token, signal }));
}

/** Reports the outcome of the page's own form handler. Sent even if the page is being closed. */
export async function reportClientResult(request: Request, result: ClientResult): Promise<void> {
  await sendReport(request, "/form-submissions/client-result", result);
}

/** Sent even if the page is being closed. */
export async function recordFormEvent(request: Request, event: FormEvent): Promise<void> {
  await sendReport(request, "/form-submissions/event", event);
}
