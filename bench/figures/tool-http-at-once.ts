import { once } from "node:events";
import { createServer } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { ms, type Row, times } from "../figure.ts";
import { startFoyer } from "../foyer-process.ts";
import { chatEndpoint, type Endpoint } from "../load.ts";
import { startScript, temporaryFolder } from "../processes.ts";
import { alternate, median } from "../rounds.ts";
import { TOOL_ANSWER } from "../upstream-script.ts";
import { createToolAgent } from "./tool-agent.ts";

const CALLS = 20;
const ANSWER_MS = 100;
const LIMIT_MS = 150;
const REPLIES = 10;
const one = { tokens: 2, everyMs: 0, isStamped: true, calls: 1 };
const many = { ...one, calls: CALLS };

/**
 * The time from the model's response that calls an HTTP tool 20 times to the next request with the results, both
 * measured by the model's stand-in, compared with one call. One reply at a time; the tool's server takes 100 ms per
 * call.
 */
export async function measureHttpToolsAtOnce(): Promise<Row[]> {
  await using upstream = await startScript(new URL("../upstream-process.ts", import.meta.url));
  using tool = await startSlowTool();
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path, upstreamUrl: upstream.url });
  const http = { executionType: "http", httpUrl: `${tool.url}/items/{item}` } as const;
  const manyChat = chatEndpoint(foyer.url, await createToolAgent(foyer, many, http), many);
  const oneChat = chatEndpoint(foyer.url, await createToolAgent(foyer, one, http), one);
  const results = await alternate({
    subject: () => timeOfTools(manyChat),
    baseline: () => timeOfTools(oneChat),
  });
  const subject = median(results.subject);
  const baseline = median(results.baseline);
  return [
    {
      figure: `${CALLS} concurrent HTTP tools, ${ANSWER_MS} ms each: model response to next request`,
      measured: ms(subject),
      baseline: `${ms(baseline)} (1 tool)`,
      ratio: times(subject / baseline),
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: subject <= LIMIT_MS,
    },
  ];
}

/**
 * The median of several replies, in milliseconds. Call ids contain the time when they were created, and the first token
 * the time when it was requested.
 */
async function timeOfTools({ url, body, ending }: Endpoint): Promise<number> {
  const taken: number[] = [];
  for (let done = 0; done < REPLIES; done++) {
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const answer = await response.text();
    const calledAt = /_at_(\d+\.\d\d)/.exec(answer)?.[1];
    const askedAt = /#(\d+\.\d\d)/.exec(answer)?.[1];
    if (!calledAt || !askedAt || !answer.includes(ending))
      throw new Error(`The response ends with ${answer.slice(-500)}`);
    taken.push(Number(askedAt) - Number(calledAt));
  }
  return median(taken);
}

async function startSlowTool() {
  const server = createServer(async (request, response) => {
    request.resume();
    await wait(ANSWER_MS);
    response.writeHead(200, { "content-type": "text/plain" });
    response.end(TOOL_ANSWER);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The tool's server has no port.");
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
