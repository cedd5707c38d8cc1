import { ms, type Row } from "../figure.ts";
import { createForm, createSubmissionBody } from "../form-setup.ts";
import { startFoyer } from "../foyer-process.ts";
import { temporaryFolder } from "../processes.ts";
import { median, ROUNDS } from "../rounds.ts";

const LIMIT_MS = 50;
const FILE_BYTES = 5 * 1024 * 1024;

/** The longest time for which the event loop is blocked while a form with a file of the maximum size is submitted. */
export async function measureFormFile(): Promise<Row[]> {
  using folder = temporaryFolder();
  await using foyer = await startFoyer({ dataDir: folder.path });
  const toolId = await createForm(foyer.url, await foyer.createAgent(), "contact");
  const photo = `data:image/png;base64,${Buffer.alloc(FILE_BYTES, "photo").toString("base64")}`;
  const body = createSubmissionBody(toolId, { photo });
  const blocks: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await longestBlock(foyer.url);
    await submit(foyer.url, body);
    const block = await longestBlock(foyer.url);
    if (round > 0) blocks.push(block);
  }
  const longest = median(blocks);
  return [
    {
      figure: "Event loop blocked by a 5 MiB file",
      measured: ms(longest),
      baseline: "-",
      ratio: "-",
      target: `<= ${ms(LIMIT_MS)}`,
      isMet: longest <= LIMIT_MS,
    },
  ];
}

async function submit(url: string, body: string) {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${url}/form-submissions/submit`, { method: "POST", headers, body });
  if (!response.ok) throw new Error(`The form was not accepted: ${await response.text()}`);
}

/** Returns the longest block since the last call, in milliseconds. */
async function longestBlock(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1]) * 1_000;
}
