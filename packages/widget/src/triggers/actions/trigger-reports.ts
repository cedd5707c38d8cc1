import type { TriggerEvent, WidgetTrigger } from "@foyer/contract";
import { maxPagePathLength } from "@foyer/contract/rules/limits";
import { randomId } from "../../loader/random-id.ts";
import type { WidgetCore } from "../../loader/widget-core.ts";

type Report = { key: string; event: TriggerEvent };

const MAX_STORED = 50;
const MAX_ATTEMPTS = 10;

/**
 * Reports fired and converted triggers to the server, each exactly once. Reports that did not arrive are kept, also
 * for the next page if storage is allowed, and are sent again with the same key.
 */
export function createTriggerReports({ options, storage, visitor, signal, fetch }: WidgetCore) {
  let waiting = parseStored(storage.read("session", "reports"));
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
        `${report.event.eventType}: ${answer?.ok ? "received" : status || "server unreachable"}`,
      );
      if (!status || status === 429 || status >= 500) failed = Number(answer?.headers.get("retry-after")) * 1_000 || 0;
      else {
        attempts = 0;
        waiting = waiting.filter((one) => one !== report);
        keep();
      }
    }
    isSending = false;
    if (failed === undefined || attempts >= MAX_ATTEMPTS || signal.aborted) return;
    timer = setTimeout(send, Math.max(failed, Math.min(60_000, 2_000 * 2 ** attempts++)));
  }

  addEventListener("online", send, { signal });
  addEventListener("pageshow", ({ persisted }) => persisted && send(), { signal });
  // The last attempt. Nothing waits for its response, and the key prevents counting it twice.
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
        sessionId: visitor.sessionId,
        pagePath: location.pathname.slice(0, maxPagePathLength),
      };
      waiting = [...waiting, { key: randomId(), event }].slice(-MAX_STORED);
      keep();
      // If the server requested a later retry, this report waits as well.
      if (!timer) void send();
    },
    /** The outcome of each trigger's last report by trigger id, and the number of reports still to send. */
    state: () => ({ waiting: waiting.length, outcomes }),
  };
}

/** Reports left by another page. The stored value may come from other code. */
function parseStored(value: unknown): Report[] {
  return Array.isArray(value) ? value.filter((report) => typeof report?.key === "string" && report.event) : [];
}
