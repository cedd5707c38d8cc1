import { Histogram, Registry } from "prom-client";
import { expect, it } from "vitest";
import { createRequestMetrics } from "./request-metrics.ts";

it("durations of requests read as a histogram of prom-client's own", async () => {
  const [registry, theirs] = [new Registry(), new Registry()];
  const observe = createRequestMetrics(registry);
  const histogram = new Histogram({
    name: "foyer_http_request_duration_seconds",
    help: "Time to the end of the response; a chat's is the whole reply",
    labelNames: ["method", "route", "status"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60],
    registers: [theirs],
  });
  for (const [method, route, status, seconds] of [
    ["GET", "/agents", 200, 0.001],
    ["GET", "/agents", 200, 0.005],
    ["GET", "/agents", 200, 0.0051],
    ["GET", "/agents", 404, 1],
    ["POST", "/agents", 200, 60],
    ["GET", "/tools/:id", 200, 61],
    ["GET", "/agents", 200, 0],
  ] as const) {
    observe({ method, route, status }, seconds);
    histogram.labels(method, route, String(status)).observe(seconds);
  }
  const lines = async (metrics: Registry) => (await metrics.metrics()).split("\n").map(sortLabels).sort();
  expect(await lines(registry)).toEqual(await lines(theirs));
});

const sortLabels = (line: string) =>
  line.replace(/\{(.*)\}/, (_, labels: string) => `{${labels.split(",").sort().join(",")}}`);
