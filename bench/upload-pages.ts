import { setTimeout as wait } from "node:timers/promises";
import { authorized } from "./foyer-process.ts";

const CLIENTS = 4;

/**
 * Uploads HTML pages of about 3 KB, four at a time. No two files are the same.
 * @param prefix distinguishes the pages of several clients that upload to one agent
 */
export function createUploads(url: string, agentId: string, prefix: string) {
  let sent = 0;

  async function sendOne(): Promise<void> {
    const name = `${prefix}${sent++}`;
    await upload(url, { agentId, name, body: createHtml(name) });
  }

  return {
    async send(count: number): Promise<void> {
      const end = sent + count;
      const client = async () => {
        while (sent < end) await sendOne();
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
    },
    /** Uploads until the signal is aborted. */
    async sendUntil(signal: AbortSignal): Promise<void> {
      const client = async () => {
        while (!signal.aborted) await sendOne();
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
    },
  };
}

type File = { agentId: string; name: string; body: string };

async function upload(url: string, { agentId, name, body }: File): Promise<void> {
  const query = new URLSearchParams({ agentId, name });
  const headers = { ...authorized, "content-type": "application/octet-stream" };
  const response = await fetch(`${url}/documents/upload?${query}`, { method: "POST", headers, body });
  if (response.status !== 202) throw new Error(`The file was not accepted: ${await response.text()}`);
  await response.text();
}

/** Waits until this many documents of the agent are searchable. @throws when one has failed */
async function waitUntilReady(url: string, agentId: string, count: number): Promise<void> {
  while ((await countDocuments(url, agentId, "ready")) < count) {
    if ((await countDocuments(url, agentId, "failed")) > 0) throw new Error("A page could not be indexed.");
    await wait(20);
  }
}

/** Waits until all documents of the agent are searchable. @throws when one has failed */
export async function waitUntilAllReady(url: string, agentId: string): Promise<void> {
  await waitUntilReady(url, agentId, await countDocuments(url, agentId));
}

/** The number of the agent's documents, or of those in a state. */
async function countDocuments(url: string, agentId: string, state?: string): Promise<number> {
  const query = new URLSearchParams({ agentId, limit: "1", ...(state === undefined ? {} : { state }) });
  const response = await fetch(`${url}/documents?${query}`, { headers: authorized });
  const { pagination } = (await response.json()) as { pagination: { total: number } };
  return pagination.total;
}

const sentences = [
  "Every bike is inspected before it is rented, and its brakes are adjusted once a week.",
  "A deposit is required for cargo bikes, and it is returned when the bike comes back without damage.",
  "Guests can extend a rental by phone as long as no other guest has reserved the bike.",
  "Helmets and locks are included, and child seats can be added for a small fee.",
];

function createHtml(name: string): string {
  const section = (n: number) =>
    `<h2>Part ${n}</h2><p>${sentences.map((sentence) => `${sentence} (${name})`).join(" ")}</p>`;
  const links = Array.from({ length: 20 }, (_, n) => `<li><a href="/${n}">Link ${n}</a></li>`).join("");
  const main = [1, 2, 3, 4].map(section).join("");
  return `<!doctype html><html lang="en"><head><title>${name}</title></head><body><nav><ul>${links}</ul></nav><main><h1>${name}</h1>${main}</main></body></html>`;
}
