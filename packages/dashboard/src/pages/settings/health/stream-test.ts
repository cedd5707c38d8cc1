import { createSseParser } from "@foyer/sdk/sse-parser";

/** How a stream of events, sent 200 ms apart, arrived in this browser. */
export type StreamVerdict = "flows" | "held" | "broken";

const TICKS = 5;
/** Half of the time the server takes to send all events. Events that arrive closer together were buffered. */
const MIN_SPAN_MS = 400;

/** @param arrivals the arrival time of each event in milliseconds, relative to any start */
export function judgeArrivals(arrivals: readonly number[]): StreamVerdict {
  if (arrivals.length < TICKS) return "broken";
  const span = Math.max(...arrivals) - Math.min(...arrivals);
  return span < MIN_SPAN_MS ? "held" : "flows";
}

/** Measures the arrival of each event with this browser's clock, because the server's may differ. */
export async function measureArrivals({ body }: Response): Promise<number[]> {
  const arrivals: number[] = [];
  if (!body) return arrivals;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const parse = createSseParser();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return arrivals;
    for (const { type } of parse(value)) if (type === "tick") arrivals.push(performance.now());
  }
}
