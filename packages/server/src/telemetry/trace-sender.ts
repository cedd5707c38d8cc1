import { setTimeout as wait } from "node:timers/promises";
import {
  type Context,
  DiagLogLevel,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Logger } from "pino";
import { createTraceExporter } from "../outbound/trace-exporter.ts";
import { describeReply, describeSteps, type RecordedReply, type ReplySpan } from "./reply-spans.ts";
import type { TelemetrySettings } from "./telemetry-environment.ts";

/** How long a shutdown waits for the collector, in milliseconds. */
const CLOSE_MS = 2_000;
/**
 * The memory that spans may take until the collector has them, in bytes. While they are sent, their encoded form takes
 * up to as much again. The SDK bounds only the number of spans.
 */
const MAX_WAITING_BYTES = 2_500_000;
/** The memory of a span without texts, in bytes. */
const SPAN_BYTES = 3_000;
/** Encoding a batch of this size blocks the process for about a millisecond. */
const MAX_BATCH = 64;

export type SpanCounts = { exported: number; failed: number; dropped: number };
export type TraceSender = Awaited<ReturnType<typeof createTraceSender>>;

/** Sends traces to the collector in batches. Traces that do not fit into the memory for waiting spans are dropped. */
export async function createTraceSender({ hasTexts, sampler, ...target }: TelemetrySettings, log: Logger) {
  // The packages report variables that they cannot read this way. Failed exports are logged below.
  const logger = { error() {}, warn: (text: string) => log.warn(text), info() {}, debug() {}, verbose() {} };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  const counts: SpanCounts = { exported: 0, failed: 0, dropped: 0 };
  const sizes = new WeakMap<object, number>();
  let waitingBytes = 0;
  let isFailing = false;

  const inner = await createTraceExporter(target);
  const exporter: SpanExporter = {
    export(spans, done) {
      inner.export(spans, (result) => {
        for (const span of spans) waitingBytes -= sizes.get(span) ?? 0;
        const hasFailed = result.error !== undefined;
        counts[hasFailed ? "failed" : "exported"] += spans.length;
        if (hasFailed && !isFailing) log.warn(`Traces cannot be exported: ${describeError(result.error)}`);
        if (!hasFailed && isFailing) log.info("Traces are exported again");
        isFailing = hasFailed;
        done(result);
      });
    },
    shutdown: () => inner.shutdown(),
  };
  const provider = new TracerProvider({
    sampler: createSampler(sampler),
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "foyer" }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxExportBatchSize: MAX_BATCH,
        maxQueueSize: Math.ceil(MAX_WAITING_BYTES / SPAN_BYTES),
      }),
    ],
  });
  const tracer = provider.getTracer("foyer");

  function start({ name, kind, startedAt, attributes, error }: ReplySpan, context: Context): Span {
    const span = tracer.startSpan(
      name,
      {
        kind: kind === "client" ? SpanKind.CLIENT : SpanKind.INTERNAL,
        startTime: startedAt,
        attributes: { ...attributes, ...(error === null ? {} : { "error.type": error }) },
      },
      context,
    );
    if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
    return span;
  }

  return {
    send(reply: RecordedReply): void {
      const agent = describeReply(reply, hasTexts);
      // A request's own trace is not continued: visitors could decide what is sampled.
      const root = start(agent, ROOT_CONTEXT);
      if (!root.isRecording()) return;
      const context = trace.setSpan(ROOT_CONTEXT, root);
      const steps = describeSteps(reply, hasTexts).map((step) => ({ ...step, span: start(step, context) }));
      const spans = [...steps, { ...agent, span: root }];
      const bytes = spans.map(estimateBytes);
      const total = bytes.reduce((sum, size) => sum + size, 0);
      if (waitingBytes + total > MAX_WAITING_BYTES) {
        counts.dropped += spans.length;
        return;
      }
      waitingBytes += total;
      for (const [index, { span, endedAt }] of spans.entries()) {
        sizes.set(span, bytes[index] ?? 0);
        span.end(endedAt);
      }
    },
    counts: (): SpanCounts => counts,
    async close(): Promise<void> {
      const timeout = new AbortController();
      const flushed = provider
        .shutdown()
        .catch((error: unknown) => log.debug({ err: error }, "spans were not exported"));
      await Promise.race([flushed, wait(CLOSE_MS, undefined, { signal: timeout.signal }).catch(() => {})]);
      timeout.abort();
    },
  };
}

/** The answer of the collector is left out, because it can be long. */
function describeError(error: Error | undefined): string {
  const code = error && "code" in error ? error.code : undefined;
  return typeof code === "number"
    ? `the collector answered with status ${code}`
    : (error?.message ?? "no reason given");
}

function createSampler({ isParentBased, ratio }: TelemetrySettings["sampler"]) {
  const root =
    ratio === 1 ? new AlwaysOnSampler() : ratio === 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

/** A character takes up to two bytes. */
function estimateBytes({ attributes }: ReplySpan): number {
  const values = Object.values(attributes);
  return values.reduce<number>((sum, value) => sum + (typeof value === "string" ? 2 * value.length : 0), SPAN_BYTES);
}
