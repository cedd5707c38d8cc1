import type { Logger } from "pino";
import type { RecordedReply } from "./reply-spans.ts";
import type { TelemetrySettings } from "./telemetry-environment.ts";
import type { SpanCounts, TraceSender } from "./trace-sender.ts";

/** Exports traces of replies with OpenTelemetry. */
export type Telemetry = {
  /** Exports what a reply did, in the background. Never throws. */
  recordReply(reply: RecordedReply): void;
  /** The spans that were exported, that the collector did not take, and that were not sent because it was too slow. */
  counts(): SpanCounts;
  /** Exports the spans that wait, for 2 s at most. */
  close(): Promise<void>;
};

/** Without settings nothing is exported, and the packages of OpenTelemetry are not loaded. */
export function createTelemetry(settings: TelemetrySettings | null, log: Logger): Telemetry {
  if (settings === null) {
    return { recordReply() {}, counts: () => ({ exported: 0, failed: 0, dropped: 0 }), async close() {} };
  }
  let sender: TraceSender | null = null;
  const loading = import("./trace-sender.ts")
    .then(async ({ createTraceSender }) => {
      sender = await createTraceSender(settings, log);
    })
    .catch((error: unknown) =>
      log.error({ err: error }, "OpenTelemetry could not be loaded, so no traces are exported"),
    );
  return {
    recordReply(reply) {
      void loading.then(() => sender?.send(reply));
    },
    counts: () => sender?.counts() ?? { exported: 0, failed: 0, dropped: 0 },
    async close() {
      await loading;
      await sender?.close();
    },
  };
}
