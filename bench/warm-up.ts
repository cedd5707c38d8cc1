import type { Foyer } from "./foyer-process.ts";
import { chatEndpoint, type Endpoint, runStreams } from "./load.ts";
import type { Script } from "./upstream-script.ts";

const script = { tokens: 200, everyMs: 0, isStamped: false };
const load = { streams: 16, rampMs: 0, replies: 40 };

/** Lets V8 compile the code that both sides run for every token, which takes hundreds of replies. */
export async function warmUp(foyer: Foyer, baseline: (script: Script) => Endpoint): Promise<void> {
  await runStreams(chatEndpoint(foyer.url, await foyer.createAgent(script), script), load);
  await runStreams(baseline(script), load);
}
