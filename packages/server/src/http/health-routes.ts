import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { App } from "../app.ts";
import { isLoopback } from "../config.ts";
import { isMigrated } from "../db/migrate.ts";
import type { Deps } from "../deps.ts";
import { AppError } from "../errors.ts";
import { sameText } from "../root-secret.ts";

export type HealthOptions = { runningReplies: () => number; isDraining: () => boolean };

const open = { config: { access: "public" as const } };

/** `/healthz` (the process is up), `/readyz` (it can do its work) and `/metrics` (for Prometheus). */
export function healthRoutes(app: App, { db, config }: Deps, { runningReplies, isDraining }: HealthOptions): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: "foyer_running_replies",
    help: "Replies that run in this process",
    registers: [registry],
    collect() {
      this.set(runningReplies());
    },
  });
  const duration = new Histogram({
    name: "foyer_http_request_duration_seconds",
    help: "Time to the end of the response; a chat's is the whole reply",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [registry],
  });
  app.addHook("onResponse", (request, reply, done) => {
    const route = request.routeOptions.url ?? "none";
    duration.labels(request.method, route, String(reply.statusCode)).observe(reply.elapsedTime / 1_000);
    done();
  });

  app.get("/healthz", { ...open, schema: { hide: true } }, async () => ({ status: "ok" }));
  app.get("/readyz", { ...open, schema: { hide: true } }, async () => {
    if (isDraining()) throw new AppError("OVERLOADED", "The server is going down.", { retryAfter: 5 });
    if (!(await isMigrated(db))) throw new AppError("OVERLOADED", "The database is not up to date.", { retryAfter: 5 });
    return { status: "ready" };
  });
  app.get("/metrics", { ...open, schema: { hide: true } }, async (request, reply) => {
    const token = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
    const hasToken = config.metricsToken !== null && token !== undefined && sameText(token, config.metricsToken);
    // A proxy on this machine makes everybody's socket local, so a forwarded request is nobody's own.
    const isLocal =
      isLoopback(request.socket.remoteAddress?.replace(/^::ffff:/, "") ?? "") && !request.headers["x-forwarded-for"];
    if (!hasToken && !isLocal)
      throw new AppError("FORBIDDEN", "Metrics are for this machine, or with FOYER_METRICS_TOKEN.");
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}
