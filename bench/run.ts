import { parseArgs } from "node:util";
import type { Figure, Row } from "./figure.ts";
import { measureFormAnalytics } from "./figures/analytics-read.ts";
import { measureClientToolWait } from "./figures/client-tool-wait.ts";
import { measureDeliveryDrain } from "./figures/delivery-drain.ts";
import { measureDeliveryHanging } from "./figures/delivery-hanging.ts";
import { measureDocumentMemory } from "./figures/document-memory.ts";
import { measureVisitorErasure } from "./figures/erase-visitor.ts";
import { measureFastReply } from "./figures/fast-reply.ts";
import { measureFirstToken } from "./figures/first-token.ts";
import { measureFirstTokenBusy } from "./figures/first-token-busy.ts";
import { measureFirstTokenCold } from "./figures/first-token-cold.ts";
import { measureFormFile } from "./figures/form-file.ts";
import { measureFormSubmit } from "./figures/form-submit.ts";
import { measureHandoff } from "./figures/handoff.ts";
import { measureHangingCollector } from "./figures/hanging-collector.ts";
import { measureIngestionBesideReplies } from "./figures/ingest-beside.ts";
import { measureIngestion } from "./figures/ingest-pages.ts";
import { measureConversationList, measureConversationsByActivity } from "./figures/list-conversations.ts";
import { measureTriggerListing } from "./figures/list-widget-triggers.ts";
import { measureModelFallback } from "./figures/model-fallback.ts";
import { measureOpenStreams } from "./figures/open-streams.ts";
import { measurePacedReply } from "./figures/paced-reply.ts";
import { measurePlanLimit } from "./figures/plan-limit.ts";
import { measureTriggerStats } from "./figures/read-trigger-stats.ts";
import { measureTriggerEvents } from "./figures/record-trigger-events.ts";
import { measureReplyBefore } from "./figures/reply-before.ts";
import { measureReplyEvents } from "./figures/reply-events.ts";
import { measureReplyMemory } from "./figures/reply-memory.ts";
import { measureReplyWithHistory } from "./figures/reply-with-history.ts";
import { measureRetention } from "./figures/retention.ts";
import { measureRetentionLocks } from "./figures/retention-locks.ts";
import { measureRetrieval } from "./figures/retrieval.ts";
import { measureScaleOut } from "./figures/scale-out.ts";
import { measureShares } from "./figures/shares.ts";
import { measureStartToReady } from "./figures/start-to-ready.ts";
import { measureHttpToolsAtOnce } from "./figures/tool-http-at-once.ts";
import { measureHundredTools } from "./figures/tool-hundred.ts";
import { measureMockTool } from "./figures/tool-mock.ts";
import { measureVerifiedTurn } from "./figures/verified-turn.ts";
import { measureWidgetInPage } from "./figures/widget-in-page.ts";

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: "string" },
    collections: { type: "string" },
    chunks: { type: "string", default: "100000" },
    streams: { type: "string", default: "2000" },
  },
});

/**
 * `npm run bench` measures everything, and `npm run bench -- fast-reply start-to-ready` only these two figures. The
 * exit code is 1 when a target is not met. Absolute times vary between machines, so the targets are ratios of two sides
 * that are measured alternately. `npm run bench -- reply-before --before DIR` compares with another version of Foyer,
 * which is installed in that folder. `npm run bench -- retrieval --collections DIR` also ranks the test collections in a
 * folder, and `npm run bench -- open-streams --streams 10000` needs a limit of 30,000 open files (`ulimit -n`).
 */
const figures: Record<string, Figure> = {
  "fast-reply": measureFastReply,
  "paced-reply": measurePacedReply,
  "reply-with-history": measureReplyWithHistory,
  "reply-before": () => measureReplyBefore(options.before),
  "scale-out": measureScaleOut,
  "reply-events": measureReplyEvents,
  "first-token": measureFirstToken,
  "first-token-busy": measureFirstTokenBusy,
  "first-token-cold": measureFirstTokenCold,
  "model-fallback": measureModelFallback,
  "hanging-collector": measureHangingCollector,
  "open-streams": () => measureOpenStreams(Number(options.streams)),
  "reply-memory": measureReplyMemory,
  handoff: measureHandoff,
  "list-conversations": measureConversationList,
  "list-conversations-by-activity": measureConversationsByActivity,
  "plan-limit": measurePlanLimit,
  "start-to-ready": measureStartToReady,
  "mock-tool": measureMockTool,
  "http-tools-at-once": measureHttpToolsAtOnce,
  "hundred-tools": measureHundredTools,
  "client-tool-wait": measureClientToolWait,
  "form-submit": measureFormSubmit,
  "delivery-drain": measureDeliveryDrain,
  "delivery-hanging": measureDeliveryHanging,
  "form-analytics": measureFormAnalytics,
  "form-file": measureFormFile,
  "erase-visitor": measureVisitorErasure,
  retention: measureRetention,
  "retention-locks": measureRetentionLocks,
  "trigger-events": measureTriggerEvents,
  "trigger-listing": measureTriggerListing,
  "trigger-stats": measureTriggerStats,
  shares: measureShares,
  "verified-turn": measureVerifiedTurn,
  "widget-in-page": measureWidgetInPage,
  "ingest-pages": measureIngestion,
  "ingest-beside": measureIngestionBesideReplies,
  "document-memory": measureDocumentMemory,
  retrieval: () => measureRetrieval({ collections: options.collections ?? null, chunks: Number(options.chunks) }),
};

// Calling `exit` ends the servers and removes the folders.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const rows: Row[] = [];
for (const [name, measure] of chooseFigures(positionals)) {
  const startedAt = performance.now();
  rows.push(...(await measure().catch((error: unknown) => [failedRow(name, error)])));
  console.log(`${name}: ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}
print(rows);
process.exit(rows.every(({ isMet }) => isMet) ? 0 : 1);

/** One figure that fails does not prevent the others. */
function failedRow(name: string, error: unknown): Row {
  console.error(`${name}: ${error instanceof Error ? error.message : error}`);
  return { figure: name, measured: "failed", baseline: "-", ratio: "-", target: "-", isMet: false };
}

function chooseFigures(names: string[]): Array<[string, Figure]> {
  if (names.length === 0) return Object.entries(figures);
  const unknown = names.find((name) => !(name in figures));
  if (unknown !== undefined) {
    console.error(`Unknown figure: ${unknown}. Known figures: ${Object.keys(figures).join(", ")}.`);
    process.exit(2);
  }
  return Object.entries(figures).filter(([name]) => names.includes(name));
}

function print(rows: readonly Row[]) {
  const lines = [
    ["Figure", "Foyer", "Baseline", "Ratio", "Target", ""],
    ...rows.map(({ figure, measured, baseline, ratio, target, isMet }) => [
      figure,
      measured,
      baseline,
      ratio,
      target,
      isMet ? "met" : "NOT MET",
    ]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  for (const line of lines)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}
