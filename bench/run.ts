import { parseArgs } from "node:util";
import type { Figure, Row } from "./figure.ts";
import { formAnalytics } from "./figures/analytics-read.ts";
import { clientToolWait } from "./figures/client-tool-wait.ts";
import { deliveryDrain } from "./figures/delivery-drain.ts";
import { deliveryHanging } from "./figures/delivery-hanging.ts";
import { documentMemory } from "./figures/document-memory.ts";
import { eraseVisitor } from "./figures/erase-visitor.ts";
import { fastReply } from "./figures/fast-reply.ts";
import { firstToken } from "./figures/first-token.ts";
import { firstTokenBusy } from "./figures/first-token-busy.ts";
import { firstTokenCold } from "./figures/first-token-cold.ts";
import { formFile } from "./figures/form-file.ts";
import { formSubmit } from "./figures/form-submit.ts";
import { handoff } from "./figures/handoff.ts";
import { ingestBeside } from "./figures/ingest-beside.ts";
import { ingestPages } from "./figures/ingest-pages.ts";
import { listAgents } from "./figures/list-agents.ts";
import { listConversations } from "./figures/list-conversations.ts";
import { triggerListing } from "./figures/list-widget-triggers.ts";
import { openStreams } from "./figures/open-streams.ts";
import { pacedReply } from "./figures/paced-reply.ts";
import { planLimit } from "./figures/plan-limit.ts";
import { triggerStats } from "./figures/read-trigger-stats.ts";
import { triggerEvents } from "./figures/record-trigger-events.ts";
import { replyEvents } from "./figures/reply-events.ts";
import { replyMemory } from "./figures/reply-memory.ts";
import { replyWithHistory } from "./figures/reply-with-history.ts";
import { retention } from "./figures/retention.ts";
import { retentionLocks } from "./figures/retention-locks.ts";
import { retrieval } from "./figures/retrieval.ts";
import { scaleOut } from "./figures/scale-out.ts";
import { startToReady } from "./figures/start-to-ready.ts";
import { httpToolsAtOnce } from "./figures/tool-http-at-once.ts";
import { hundredTools } from "./figures/tool-hundred.ts";
import { mockTool } from "./figures/tool-mock.ts";
import { verifiedTurn } from "./figures/verified-turn.ts";
import { widgetInPage } from "./figures/widget-in-page.ts";

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    collections: { type: "string" },
    chunks: { type: "string", default: "100000" },
    streams: { type: "string", default: "2000" },
  },
});

/**
 * `npm run bench` measures everything, and `npm run bench -- fast-reply start-to-ready` only these two figures. The
 * exit code is 1 when a target is not met. Absolute times vary between machines, so the targets are ratios of two sides
 * that are measured alternately. `npm run bench -- retrieval --collections DIR` also ranks the test collections in a
 * folder, and `npm run bench -- open-streams --streams 10000` needs a limit of 30,000 open files (`ulimit -n`).
 */
const figures: Record<string, Figure> = {
  "fast-reply": fastReply,
  "paced-reply": pacedReply,
  "reply-with-history": replyWithHistory,
  "scale-out": scaleOut,
  "reply-events": replyEvents,
  "first-token": firstToken,
  "first-token-busy": firstTokenBusy,
  "first-token-cold": firstTokenCold,
  "open-streams": () => openStreams(Number(options.streams)),
  "reply-memory": replyMemory,
  handoff,
  "list-agents": listAgents,
  "list-conversations": listConversations,
  "plan-limit": planLimit,
  "start-to-ready": startToReady,
  "mock-tool": mockTool,
  "http-tools-at-once": httpToolsAtOnce,
  "hundred-tools": hundredTools,
  "client-tool-wait": clientToolWait,
  "form-submit": formSubmit,
  "delivery-drain": deliveryDrain,
  "delivery-hanging": deliveryHanging,
  "form-analytics": formAnalytics,
  "form-file": formFile,
  "erase-visitor": eraseVisitor,
  retention,
  "retention-locks": retentionLocks,
  "trigger-events": triggerEvents,
  "trigger-listing": triggerListing,
  "trigger-stats": triggerStats,
  "verified-turn": verifiedTurn,
  "widget-in-page": widgetInPage,
  "ingest-pages": ingestPages,
  "ingest-beside": ingestBeside,
  "document-memory": documentMemory,
  retrieval: () => retrieval({ collections: options.collections ?? null, chunks: Number(options.chunks) }),
};

// Calling `exit` ends the servers and removes the folders.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

const rows: Row[] = [];
for (const [name, measure] of chosen(positionals)) {
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

function chosen(names: string[]): Array<[string, Figure]> {
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
