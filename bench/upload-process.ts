import { createUploads } from "./upload-pages.ts";

/**
 * Uploads pages to the agent until the process ends. It is a separate process so that the uploads do not slow down the
 * process that measures replies.
 */
const [url = "", agentId = ""] = process.argv.slice(2);
const WARM_UP = 40;

process.once("disconnect", () => process.exit(0));
process.once("SIGTERM", () => process.exit(0));
const uploads = createUploads(url, agentId, `${process.pid}-`);
await uploads.send(WARM_UP);
// It serves nothing, so there is no port to report.
process.send?.({ port: 0 });
await uploads.sendUntil(new AbortController().signal);
