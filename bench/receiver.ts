import { setTimeout as wait } from "node:timers/promises";
import { startScript } from "./processes.ts";

type Counts = { taken: number; firstAt: number; lastAt: number; waits: number[] };

/** A webhook receiver in a separate process; see receiver-process.ts for its paths. */
export async function startReceiver() {
  const server = await startScript(new URL("./receiver-process.ts", import.meta.url));
  const counts = async () => (await (await fetch(`${server.url}/counts`)).json()) as Counts;
  return {
    ...server,
    /** The counters after `count` webhooks were accepted. @throws when it takes longer than `timeoutMs` */
    async hasTaken(count: number, timeoutMs: number): Promise<Counts> {
      for (const deadline = performance.now() + timeoutMs; ; await wait(50)) {
        const now = await counts();
        if (now.taken >= count) return now;
        if (performance.now() > deadline) throw new Error(`Only ${now.taken} of ${count} webhooks arrived.`);
      }
    },
  };
}
