import type { TriggerEvent, WidgetTrigger } from "@foyer/contract";
import { randomId } from "../../loader/random-id.ts";
import type { WidgetCore } from "../../loader/widget-core.ts";

type Report = { key: string; event: TriggerEvent };

const MOST_KEPT = 50;
const MOST_ATTEMPTS = 10;

/**
 * Tells the server what fired and what it led to, each exactly once: what did not get through is kept, for the next page
 * too where the browser may store it, and sent again under the same key.
 */
export function createTriggerReports({ options, storage, visit, signal }: WidgetCore) {
  let waiting = stored(storage.read("session", "reports"));
  let isSending = false;
  let attempts = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const outcomes = new Map<string, string>();

  const keep = () => storage.write("session", "reports", waiting.length ? waiting : null);
  const post = ({ key, event }: Report) =>
    fetch(`${options.baseUrl}/triggers/event`, {
      method: "POST",
      keepalive: true,
      credentials: "omit",
      body: JSON.stringify(event),
      headers: { "content-type": "application/json", "idempotency-key": key },
    }).catch(() => null);

  async function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    if (isSending || signal.aborted) return;
    isSending = true;
    let failed: number | undefined;
    for (let report = waiting[0]; report && failed === undefined; report = waiting[0]) {
      const answer = await post(report);
      const status = answer?.status ?? 0;
      outcomes.set(
        String(report.event.triggerId),
        `${report.event.eventType}: ${answer?.ok ? "received" : status || "not reached"}`,
      );
      if (!status || status === 429 || status >= 500) failed = Number(answer?.headers.get("retry-after")) * 1_000 || 0;
      else {
        attempts = 0;
        waiting = waiting.filter((one) => one !== report);
        keep();
      }
    }
    isSending = false;
    if (failed === undefined || attempts >= MOST_ATTEMPTS || signal.aborted) return;
    timer = setTimeout(send, Math.max(failed, Math.min(60_000, 2_000 * 2 ** attempts++)));
  }

  addEventListener("online", send, { signal });
  addEventListener("pageshow", ({ persisted }) => persisted && send(), { signal });
  // The last try: nobody waits for its answer, and the key keeps it from counting twice.
  addEventListener("pagehide", () => waiting.slice(isSending ? 1 : 0).map(post), { signal });
  signal.addEventListener("abort", () => clearTimeout(timer));
  void send();

  return {
    add({ id, name, triggerType, actionType }: WidgetTrigger, eventType: TriggerEvent["eventType"]): void {
      const event = {
        agentId: options.agentId,
        triggerId: id,
        triggerName: name,
        triggerType,
        actionType,
        eventType,
        sessionId: visit.sessionId,
        pagePath: location.pathname.slice(0, 2_000),
      };
      waiting = [...waiting, { key: randomId(), event }].slice(-MOST_KEPT);
      keep();
      // Where the server said when to come again, this one waits as well.
      if (!timer) void send();
    },
    /** How the last report of each trigger went, by its id, and how many are still to be sent. */
    state: () => ({ waiting: waiting.length, outcomes }),
  };
}

/** What another page left; whatever somebody else may have put there. */
function stored(value: unknown): Report[] {
  return Array.isArray(value) ? value.filter((report) => typeof report?.key === "string" && report.event) : [];
}
