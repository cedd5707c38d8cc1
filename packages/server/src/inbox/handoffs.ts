import type { Registry } from "prom-client";
import type { Deps } from "../deps.ts";
import { createHandoffCounters } from "./counters.ts";
import { scheduleRelease } from "./former-members.ts";
import { createHandoffRecorders } from "./handoff-changes.ts";
import { createHandoffNotes } from "./handoff-notes.ts";
import { addHandoffMetrics } from "./metrics.ts";
import { createRequestTool } from "./request-tool.ts";
import { createHandoffRequests } from "./requests.ts";
import { createHandoffRules } from "./rules.ts";

export type Handoffs = ReturnType<typeof createHandoffs>;

/** Creates the parts of handoff that other modules use: change recorders, requests for a person, rules and metrics. */
export function createHandoffs(deps: Pick<Deps, "db" | "log" | "mailer" | "config">) {
  const recorders = createHandoffRecorders();
  const counters = createHandoffCounters();
  const requests = createHandoffRequests({
    record: recorders.record,
    counters,
    maxAnnounced: deps.config.limits.handoffAnnouncements,
  });
  return {
    ...recorders,
    counters,
    requests,
    scheduleRelease,
    rules: createHandoffRules(requests),
    addMetrics: (registry: Registry) => addHandoffMetrics(registry, deps, counters),
    forChat: {
      recordHandoff: recorders.record,
      requestHuman: requests.request,
      humanToolOf: createRequestTool(deps, requests),
      handoffNotesOf: createHandoffNotes(deps.db),
    },
  };
}
