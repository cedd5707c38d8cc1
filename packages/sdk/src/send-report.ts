import type { Request } from "./request.ts";
import { read } from "./visitor-calls.ts";

/** Sends a report even if the page is being closed. */
export function sendReport(request: Request, path: string, body: unknown) {
  return read(request(path, { method: "POST", body, keepalive: true }));
}
