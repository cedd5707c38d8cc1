import { handoffCauses } from "@foyer/contract";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Deps } from "../deps.ts";
import type { HandoffCounters } from "./counters.ts";

/** The histogram buckets in seconds, from ten seconds to four hours. */
const buckets = [10, 30, 60, 120, 300, 600, 1_800, 3_600, 14_400];

/**
 * Adds the handoff metrics. The number of waiting visitors is read from the database and is the same in every process.
 * The other metrics count events of this process. They start at 0 for every cause, so that Prometheus sees the first
 * request as an increase.
 */
export function addHandoffMetrics(
  registry: Registry,
  { db, log }: Pick<Deps, "db" | "log">,
  counters: Pick<HandoffCounters, "onCounted">,
): void {
  const common = { labelNames: ["cause"] as const, registers: [registry] };
  const waiting = db
    .selectFrom("handoffs")
    .select((x) => x.fn.countAll<number>().as("count"))
    .where("takenAt", "is", null)
    .where("endedAt", "is", null);
  new Gauge({
    name: "foyer_handoffs_waiting",
    help: "Visitors who wait for a person, in all processes; NaN if the database cannot be read",
    registers: [registry],
    async collect() {
      try {
        this.set(Number((await waiting.executeTakeFirstOrThrow()).count));
      } catch (error) {
        // Keep exporting the other metrics, because operators need them most when the database fails.
        log.warn({ err: error }, "Cannot count the visitors who wait for a person");
        this.set(Number.NaN);
      }
    },
  });
  const requests = new Counter({
    ...common,
    name: "foyer_handoff_requests_total",
    help: "Requests for a person, and takeovers without a request (member)",
  });
  const taken = new Histogram({
    ...common,
    name: "foyer_handoff_wait_seconds",
    help: "Time from a request until a member took it",
    buckets,
  });
  const answered = new Histogram({
    ...common,
    name: "foyer_handoff_answer_seconds",
    help: "Time from a request to the first message of a member",
    buckets,
  });
  for (const cause of handoffCauses) {
    requests.inc({ cause }, 0);
    taken.zero({ cause });
    answered.zero({ cause });
  }
  counters.onCounted(({ cause, event, ms }) => {
    if (event === "requested") requests.inc({ cause });
    else (event === "taken" ? taken : answered).observe({ cause }, ms / 1_000);
  });
}
