import { createSseParser } from "@foyer/sdk/sse-parser";

/** How a stream of ticks, sent 200 ms apart, reached this browser. */
export type StreamVerdict = "flows" | "held" | "broken";

const TICKS = 5;
/** Half of the time that the ticks take to be sent: what comes closer together was waiting somewhere. */
const LEAST_SPAN_MS = 400;

/** @param arrivals when each tick came, in milliseconds from any beginning */
export function judgeArrivals(arrivals: readonly number[]): StreamVerdict {
  if (arrivals.length < TICKS) return "broken";
  const span = Math.max(...arrivals) - Math.min(...arrivals);
  return span < LEAST_SPAN_MS ? "held" : "flows";
}

/** When each event of the stream arrives, by this browser's clock alone: the server's may differ. */
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
