import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { isDamaged } from "../db/database-errors.ts";
import { createReadinessCheck } from "../db/readiness.ts";
import type { Deps } from "../deps.ts";
import { equalsInConstantTime } from "../encryption.ts";
import { AppError, shuttingDown } from "../errors.ts";
import { isLoopback } from "../loopback.ts";
import { addPoolMetrics } from "../pools/pool-metrics.ts";
import type { App } from "./app.ts";
import { isForwarded } from "./forwarded.ts";
import { addStoredMetrics } from "./stored-metrics.ts";

export type HealthOptions = {
  runningReplies: () => number;
  isDraining: () => boolean;
  handoffs: { addMetrics(registry: Registry): void };
};

/**
 * The metrics of the process, which all apps in it share. Collecting them needs a timer and an observer that the library
 * never stops. One set per app would keep every closed app in memory.
 */
const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });

const DAMAGED =
  "The database is damaged. Stop the server, restore a backup or repair the database, and start it again.";

const publicRoute = { config: { access: "public" as const } };

/** Registers `/healthz` (the process runs), `/readyz` (it can serve requests) and `/metrics` (for Prometheus). */
export function healthRoutes(app: App, deps: Deps, { runningReplies, isDraining, handoffs }: HealthOptions): void {
  const { db, config, models, telemetry } = deps;
  const isReady = createReadinessCheck(db);
  const registry = new Registry();
  new Gauge({
    name: "foyer_running_replies",
    help: "Replies that are running in this process",
    registers: [registry],
    collect() {
      this.set(runningReplies());
    },
  });
  new Counter({
    name: "foyer_model_fallbacks_total",
    help: "Replies that changed over to another model, by provider",
    labelNames: ["from", "to", "reason"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { count, ...labels } of models.changeovers()) this.inc(labels, count);
    },
  });
  new Counter({
    name: "foyer_trace_spans_total",
    help: "Spans for the OpenTelemetry collector: exported, failed (not accepted), or dropped (too many were waiting)",
    labelNames: ["outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(telemetry.counts())) this.inc({ outcome }, count);
    },
  });
  addPoolMetrics(registry);
  addStoredMetrics(registry, deps);
  handoffs.addMetrics(registry);
  const durations = new Histogram({
    name: "foyer_http_request_duration_seconds",
    help: "Time until the end of the response, which for a chat includes the whole reply",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1_000);
    done();
  });

  // A database with damaged pages still answers the queries that do not read them.
  let isDatabaseDamaged = false;
  // biome-ignore lint/complexity/useMaxParams: the arguments of this hook
  app.addHook("onError", (_request, _reply, error, done) => {
    isDatabaseDamaged ||= isDamaged(error);
    done();
  });

  app.get("/healthz", { ...publicRoute, schema: { hide: true } }, async () => ({ status: "ok" }));
  app.get("/readyz", { ...publicRoute, schema: { hide: true } }, async () => {
    if (isDraining()) throw shuttingDown();
    if (isDatabaseDamaged) throw new AppError("OVERLOADED", DAMAGED, { retryAfter: 60 });
    if (!(await isReady())) throw new AppError("OVERLOADED", "The database has pending migrations.", { retryAfter: 5 });
    return { status: "ready" };
  });
  app.get("/metrics", { ...publicRoute, schema: { hide: true } }, async (request, reply) => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const hasToken =
      config.metricsToken !== null && token !== undefined && equalsInConstantTime(token, config.metricsToken);
    // A proxy on this machine makes every socket local, so a forwarded request does not count as local.
    const isLocal =
      isLoopback(request.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "") && !isForwarded(request.headers);
    if (!hasToken && !isLocal)
      throw new AppError(
        "FORBIDDEN",
        "Metrics require FOYER_METRICS_TOKEN as a bearer token, except for requests from this machine.",
      );
    const metrics = Registry.merge([processMetrics, registry]);
    return reply.type(metrics.contentType).send(await metrics.metrics());
  });
}
