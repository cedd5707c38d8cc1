import type { Metric, MetricValueWithName, Registry } from "prom-client";

const NAME = "foyer_http_request_duration_seconds";
/** Upper bounds, in seconds. */
const bounds = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];

type Labels = { method: string; route: string; status: number };
/** `within` counts, for each bound, the requests within it and above the previous bound. */
type Durations = { labels: Labels; within: number[]; sum: number; count: number };
type Value = MetricValueWithName<string>;

/**
 * A histogram of request durations. It runs at the end of every request, and prom-client's histogram takes several times
 * as long.
 */
export function createRequestMetrics(registry: Registry): (labels: Labels, seconds: number) => void {
  const known = new Map<string, Durations>();
  const metric = {
    name: NAME,
    get: async () => ({
      name: NAME,
      help: "Time to the end of the response; a chat's is the whole reply",
      type: "histogram",
      aggregator: "sum",
      values: [...known.values()].flatMap(valuesOf),
    }),
  };
  registry.registerMetric(metric as unknown as Metric);

  return (labels, seconds) => {
    const key = `${labels.status} ${labels.method} ${labels.route}`;
    let durations = known.get(key);
    if (!durations) {
      durations = { labels, within: bounds.map(() => 0), sum: 0, count: 0 };
      known.set(key, durations);
    }
    durations.count++;
    durations.sum += seconds;
    const bound = bounds.findIndex((limit) => seconds <= limit);
    if (bound >= 0) durations.within[bound] = (durations.within[bound] ?? 0) + 1;
  };
}

function valuesOf({ labels, within, sum, count }: Durations): Value[] {
  let total = 0;
  const buckets = bounds.map((le, index) => {
    total += within[index] ?? 0;
    return { metricName: `${NAME}_bucket`, labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { metricName: `${NAME}_bucket`, labels: { ...labels, le: "+Inf" }, value: count },
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ];
}
