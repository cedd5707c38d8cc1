import { parseArgs } from "node:util";
import type { Figure, Row } from "./figure.ts";
import { measureDeliveryDrain } from "./figures/delivery-drain.ts";
import { measureFastReply } from "./figures/fast-reply.ts";
import { measureFirstToken } from "./figures/first-token.ts";
import { measureFirstTokenBusy } from "./figures/first-token-busy.ts";
import { measureHandoff } from "./figures/handoff.ts";
import { measureInbox } from "./figures/inbox.ts";
import { measureIngestionBesideReplies } from "./figures/ingest-beside.ts";
import { measureLargeUploads } from "./figures/large-uploads.ts";
import { measureConversationsByActivity } from "./figures/list-conversations.ts";
import { measureOpenStreams } from "./figures/open-streams.ts";
import { measurePacedReply } from "./figures/paced-reply.ts";
import { measurePublishedVersion } from "./figures/published-version.ts";
import { measureTriggerEvents } from "./figures/record-trigger-events.ts";
import { measureReplyBefore } from "./figures/reply-before.ts";
import { measureReplyMemory } from "./figures/reply-memory.ts";
import { measureRestoredVersion } from "./figures/restored-version.ts";
import { measureRetrieval } from "./figures/retrieval.ts";
import { measureScaleOut } from "./figures/scale-out.ts";
import { measureShares } from "./figures/shares.ts";
import { measureStartToReady } from "./figures/start-to-ready.ts";
import { measureUploadsBeside } from "./figures/uploads-beside.ts";
import { measureWidgetInPage } from "./figures/widget-in-page.ts";

const { positionals, values: options } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: "string" },
    collections: { type: "string" },
    chunks: { type: "string", default: "100000" },
    conversations: { type: "string", default: "100000" },
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
  "reply-before": () => measureReplyBefore(options.before),
  "published-version": measurePublishedVersion,
  "restored-version": measureRestoredVersion,
  "scale-out": measureScaleOut,
  "first-token": measureFirstToken,
  "first-token-busy": measureFirstTokenBusy,
  "open-streams": () => measureOpenStreams(Number(options.streams)),
  "reply-memory": measureReplyMemory,
  handoff: measureHandoff,
  "list-conversations-by-activity": measureConversationsByActivity,
  inbox: () => measureInbox(Number(options.conversations)),
  "start-to-ready": measureStartToReady,
  "delivery-drain": measureDeliveryDrain,
  "trigger-events": measureTriggerEvents,
  shares: measureShares,
  "widget-in-page": measureWidgetInPage,
  "ingest-beside": measureIngestionBesideReplies,
  "uploads-beside": measureUploadsBeside,
  "large-uploads": measureLargeUploads,
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
