import { setTimeout as wait } from "node:timers/promises";
import { createLargePng } from "../test/tiny-pictures.ts";

/**
 * Uploads pictures of a screenshot's size, as visitors do, at a steady rate until the process ends. It is a separate
 * process so that the uploads do not slow down the process that measures replies.
 */
const [url = "", agentId = "", perSecond = "1"] = process.argv.slice(2);
const PICTURE_BYTES = 200_000;

process.once("disconnect", () => process.exit(0));
process.once("SIGTERM", () => process.exit(0));
const picture = new Uint8Array(createLargePng(PICTURE_BYTES));
const headers = { "content-type": "image/png", "x-filename": "screenshot.png" };

async function upload(sessionId: string): Promise<void> {
  const query = new URLSearchParams({ agentId, sessionId });
  const response = await fetch(`${url}/chat/attachments?${query}`, { method: "POST", headers, body: picture });
  if (response.status !== 201) throw new Error(`The picture was not accepted: ${await response.text()}`);
  await response.text();
}

await upload("visitor-0");
// It serves nothing, so there is no port to report.
process.send?.({ port: 0 });
const running = new Set<Promise<void>>();
for (let number = 1; ; number++) {
  const one = upload(`visitor-${number}`).finally(() => running.delete(one));
  running.add(one);
  await wait(1_000 / Number(perSecond));
}
