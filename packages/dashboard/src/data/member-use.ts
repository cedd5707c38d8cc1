import { MINUTE_MS } from "@foyer/contract/rules/time";
import { api } from "./api.ts";

/** How long the page counts as used after an input, in milliseconds. */
const USED_MS = 5 * MINUTE_MS;
/** The minimum time between two reports, in milliseconds. */
const REPORT_MS = MINUTE_MS;

let usedAt = Date.now();

/** Whether the user sees this tab and has used it in the last minutes. */
export const isPageUsed = () => !document.hidden && Date.now() - usedAt < USED_MS;

/** Reports to the server, at most once a minute, that the user uses the page. */
export function reportUse(signal: AbortSignal): void {
  // The stream of the inbox reports the use with its connection.
  let reportedAt = Date.now();
  const onUse = () => {
    usedAt = Date.now();
    if (document.hidden || usedAt - reportedAt < REPORT_MS) return;
    reportedAt = usedAt;
    // A lost report is followed by the next one, and a lost connection is reported elsewhere.
    api.updatePresence({ body: {} }).catch(() => {});
  };
  const options = { capture: true, passive: true, signal };
  for (const input of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]) {
    addEventListener(input, onUse, options);
  }
  document.addEventListener("visibilitychange", onUse, { signal });
}
