import { setTimeout as wait } from "node:timers/promises";
import { createPdf } from "../../test/sample-files.ts";
import { startSilentHost, startSite } from "./hosts.ts";
import type { Share } from "./share.ts";
import { repeat, type Tenant } from "./tenant.ts";

const PDF_PAGES = 1_000;
const GREEDY_FILES = 12;
const GREEDY_TEXTS = 60;
const SEARCHED_TEXTS = 10;
const SITE_PAGES = 8;
const TEXT_CHARACTERS = 190_000;

const files: Share = {
  resource: "Extraction of files and pages",
  pool: "file_extractions",
  share: 1,
  probes: 5,
  async prepare({ quiet, greedy }) {
    return {
      probe: async (round) => quiet.reads(await quiet.upload(`${round}.pdf`, createFile(`quiet${round}`, 5))),
      async attack() {
        for (let file = 0; file < GREEDY_FILES; file++)
          await greedy.upload(`${file}.pdf`, createFile(`greedy${file}`, PDF_PAGES));
      },
    };
  },
};

function createFile(name: string, pages: number): Uint8Array<ArrayBuffer> {
  const texts = Array.from({ length: pages }, (_, page) => [`${name}, page ${page}. `, "Words of a page. ".repeat(40)]);
  return new Uint8Array(createPdf(texts));
}

const texts: Share = {
  resource: "Extraction of texts and FAQ entries; jobs: documents",
  pool: "document_jobs",
  probes: 5,
  async prepare({ quiet, greedy }) {
    return {
      probe: async (round) => quiet.reads(await addText(quiet, `Hours ${round}`, `We open at ${round}.`)),
      async attack() {
        for (let text = 0; text < GREEDY_TEXTS; text++)
          await addText(greedy, `Text ${text}`, `Words of text ${text}. `.repeat(TEXT_CHARACTERS / 20));
      },
    };
  },
};

async function addText({ call, agentId }: Tenant, title: string, text: string): Promise<string> {
  return (await call<{ id: string }>("POST", "/documents", { agentId, kind: "text", title, text })).id;
}

const previews: Share = {
  resource: "Previews",
  pool: "previews",
  share: 2,
  async prepare({ quiet, greedy }) {
    const silent = await startSilentHost();
    const site = await startSite(SITE_PAGES);
    return {
      probe: () => quiet.call("POST", "/sources/preview", { agentId: quiet.agentId, url: `${site}/` }),
      attack: (signal) =>
        repeat(signal, 4, async () => {
          const body = { agentId: greedy.agentId, url: `${silent}/` };
          const { status } = await greedy.ask("POST", "/sources/preview", body);
          if (status === 503) await wait(100);
        }),
    };
  },
};

const host: Share = {
  resource: "Requests of the crawler to a host",
  probes: 5,
  async prepare({ quiet, greedy }) {
    const site = await startSite(SITE_PAGES, 20);
    const own = await addSite(quiet, site);
    const other = await addSite(greedy, site);
    return {
      probe: () => sync(quiet, own),
      attack: (signal) => repeat(signal, 1, () => sync(greedy, other)),
    };
  },
};

const syncs: Share = {
  resource: "Jobs: syncs of sites",
  pool: "site_syncs",
  share: 3,
  probes: 5,
  async prepare({ quiet, greedy }) {
    const own = await addSite(quiet, await startSite(SITE_PAGES));
    return {
      probe: () => sync(quiet, own),
      async attack() {
        for (let site = 0; site < 12; site++) await addSite(greedy, await startSilentHost());
      },
    };
  },
};

async function addSite({ call, agentId }: Tenant, url: string): Promise<string> {
  return (await call<{ id: string }>("POST", "/sources", { agentId, url: `${url}/`, schedule: "manual" })).id;
}

/** Reads a site again, and waits until that has ended. */
async function sync({ call, ask }: Tenant, sourceId: string): Promise<void> {
  const isIdle = async () => (await call<{ state: string }>("GET", `/sources/${sourceId}`)).state === "idle";
  while (!(await isIdle())) await wait(10);
  await ask("POST", `/sources/${sourceId}/sync`);
  while (!(await isIdle())) await wait(10);
}

const searches: Share = {
  resource: "Document searches",
  pool: "document_searches",
  share: 1,
  async prepare({ quiet, greedy }) {
    await quiet.reads(await addText(quiet, "Hours", "We open at nine."));
    for (let text = 0; text < SEARCHED_TEXTS; text++)
      await greedy.reads(await addText(greedy, `Text ${text}`, `Words of text ${text}. `.repeat(TEXT_CHARACTERS / 20)));
    return {
      probe: () => search(quiet, "When do you open?"),
      attack: (signal) => repeat(signal, 20, () => search(greedy, "Which words of text are of the text?")),
    };
  },
};

const search = ({ ask, agentId }: Tenant, query: string) => ask("POST", "/documents/search", { agentId, query });

export const knowledgeShares = [files, texts, previews, host, syncs, searches];
