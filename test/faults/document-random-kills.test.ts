import { expect, it } from "vitest";
import { connect } from "../../packages/server/src/documents/search/index-connection.ts";
import { deleteStrayChunks } from "../../packages/server/src/documents/search/maintain-index.ts";
import { conceptVector, startEmbeddingsServer } from "../embeddings-server.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, type FaultSite, type Server, type ServerProcess, upload } from "./fault-site.ts";
import { runUntilKilled } from "./random-death.ts";
import { seededRandom } from "./seeded-random.ts";

const failpoints = [
  "document.committing",
  "document.committed",
  "document.claimed",
  "document.extracted",
  "document.staged",
  "document.indexing",
  "document.indexed",
  "embedding.answered",
  "embedding.stored",
];
const MODEL = "openai-compatible/concepts";
/** The number of documents per client. Their contents are replaced repeatedly. */
const DOCUMENTS = 12;
/**
 * The number of kills after which all stored data is checked, so that a long run has checked something even if it is
 * interrupted.
 */
const CHECK_EVERY = 50;
/** A number of passages that exceeds what `passage-index.ts` writes in one transaction. */
const LARGE = 130;

const { documentKills: kills, seed, timeout } = faultRun;

it.each(faultRun.loads)(
  `no document is lost, indexed or embedded twice in ${kills} kills on $database with $clients clients (FOYER_FAULT_SEED=${seed})`,
  // On a busy machine, starting and killing a server can take half a minute.
  { timeout: Math.max(timeout, kills * 60_000) },
  async ({ database, clients }) => {
    const provider = await startEmbeddingsServer(conceptVector);
    const site = await createFaultSite(database, { OPENAI_COMPATIBLE_BASE_URL: provider.url });
    try {
      const agentId = await prepare(site);
      const random = seededRandom(seed);
      const load = createLoad(agentId, clients);
      const deaths = new Map<string, number>();
      for (let kill = 1; kill <= kills; kill++) {
        const cause = await runUntilKilled(site, random, {
          failpoints,
          maxTimes: 5,
          maxDelayMs: 600,
          maxLifetimeMs: faultRun.isLong ? 8_000 : 2_000,
          load: load.run,
        });
        deaths.set(cause, (deaths.get(cause) ?? 0) + 1);
        await site.allGone();
        await site.requireIntact();
        await endLeases(site);
        if (kill % CHECK_EVERY !== 0 && kill < kills) continue;
        const strays = await check(site, load, agentId);
        const tally = [...deaths].map(([where, count]) => `${count} ${where}`).sort();
        console.log(
          `${database}, ${clients} clients: ${load.count()} contents acknowledged for ${load.acknowledged.size} documents, ` +
            `${strays} stray passages, ${kill} kills (${tally.join(", ")}), FOYER_FAULT_SEED=${seed}`,
        );
      }
    } finally {
      await site.remove();
      await provider.stop();
    }
  },
);

/** Lets a server finish the work and checks everything that it stored. @returns the number of stray passages */
function check(site: FaultSite, load: Load, agentId: string): Promise<number> {
  return site.serveHere(async (server) => {
    await load.finish(server);
    await expect.poll(() => listUnfinished(site), { timeout: 120_000 }).toEqual([]);
    const strays = await verify(site, load.acknowledged);
    for (const { id, word } of load.acknowledged.values()) {
      const { hits } = await call<Hits>(server, "POST", "/documents/search", { agentId, query: word });
      expect(hits[0]?.documentId).toBe(id);
    }
    return strays;
  });
}

type Hits = { hits: Array<{ documentId: string }> };

function prepare(site: FaultSite): Promise<string> {
  return site.serveHere(async (server) => {
    const agent = await call<{ data: { id: string } }>(server, "POST", "/agents", { name: "Harbour" });
    await call(server, "PUT", "/documents/embeddings", { model: MODEL });
    return agent.data.id;
  });
}

/** Makes every lease expire and resets the attempts, because the documents did not cause the crashes. */
async function endLeases({ db }: FaultSite): Promise<void> {
  await db.updateTable("documentJobs").set({ dueAt: 0, attempts: 0 }).execute();
  await db.updateTable("agentEmbeddings").set({ dueAt: 0, attempts: 0 }).where("dueAt", "is not", null).execute();
}

async function listUnfinished({ db }: FaultSite): Promise<string[]> {
  const jobs = await db.selectFrom("documentJobs").select("documentId as id").execute();
  const agents = await db
    .selectFrom("agentEmbeddings")
    .select("agentId as id")
    .where("dueAt", "is not", null)
    .execute();
  return [...jobs, ...agents].map(({ id }) => id);
}

type Content = { id: string; word: string };
type Load = ReturnType<typeof createLoad>;

/** Clients that replace their documents one at a time and repeat requests that got no response. */
function createLoad(agentId: string, clients: number) {
  /** the last confirmed content, by external key */
  const acknowledged = new Map<string, Content>();
  const next = new Array<number>(clients).fill(0);
  let count = 0;

  /** @returns false when there was no response */
  async function ask(server: Server, client: number): Promise<boolean> {
    const number = next[client] ?? 0;
    const word = `zebra${client}q${number}`;
    const externalKey = `client-${client}-${number % DOCUMENTS}`;
    const answer = await upload(server, { agentId, externalKey, name: "page" }, createContent(number, word)).catch(
      (error: unknown) => {
        if (error instanceof TypeError) return null;
        throw error;
      },
    );
    if (!answer) return false;
    const before = acknowledged.get(externalKey);
    expect(answer.id).toBe(before?.id ?? answer.id);
    acknowledged.set(externalKey, { id: answer.id, word });
    next[client] = number + 1;
    count++;
    return true;
  }

  return {
    acknowledged,
    count: () => count,
    async run(serverProcess: ServerProcess) {
      const client = async (_: unknown, index: number) => {
        while (await ask(serverProcess, index));
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
    async finish(server: Server) {
      for (let client = 0; client < clients; client++) expect(await ask(server, client)).toBe(true);
    },
  };
}

/** Mostly pages of one passage. Every fifth is large, so its passages are written in several transactions. */
function createContent(number: number, word: string): string {
  const sections = number % 5 === 4 ? LARGE : 1;
  const html = Array.from({ length: sections }, (_, n) => `<h2>Part ${n}</h2><p>The ${word} costs ${n} refunds.</p>`);
  return `<!doctype html><title>${word}</title><main>${html.join("")}</main>`;
}

/** @returns the number of passages that killed processes left behind, which maintenance deletes */
async function verify({ db, address }: FaultSite, acknowledged: ReadonlyMap<string, Content>): Promise<number> {
  const documents = await db.selectFrom("documents").selectAll().orderBy("id").execute();
  const keys = documents.map(({ id, externalKey, state }) => `${externalKey} ${id} ${state}`);
  expect(keys.toSorted()).toEqual([...acknowledged].map(([key, { id }]) => `${key} ${id} ready`).toSorted());

  const connection = await connect(address, "write");
  const before = await countRows(db, "documentChunks");
  await deleteStrayChunks(connection);
  await connection.close();
  const chunks = await db.selectFrom("documentChunks").selectAll().orderBy("documentId").orderBy("ordinal").execute();
  // Each passage of the last content exists exactly once.
  expect(chunks.map(({ documentId, version, ordinal }) => `${documentId} ${version} ${ordinal}`)).toEqual(
    documents.flatMap(({ id, readyVersion, chunks: count }) =>
      Array.from({ length: count }, (_, ordinal) => `${id} ${readyVersion} ${ordinal}`),
    ),
  );
  const words = new Map([...acknowledged.values()].map(({ id, word }) => [id, word]));
  expect(chunks.filter(({ documentId, text }) => !text.includes(`${words.get(documentId)} `))).toEqual([]);

  const indexed = await db
    .selectFrom("indexedDocuments")
    .select(["documentId", "version"])
    .orderBy("documentId")
    .execute();
  expect(indexed).toEqual(documents.map(({ id, readyVersion }) => ({ documentId: id, version: readyVersion })));
  const segments = await db
    .selectFrom("indexSegments")
    .select(["chunks", "deadChunks"])
    .where("state", "=", "live")
    .execute();
  expect(segments.reduce((sum, segment) => sum + segment.chunks - segment.deadChunks, 0)).toBe(chunks.length);

  const numbers = chunks.map(({ number }) => number).sort((a, b) => a - b);
  const vectors = await db.selectFrom("chunkVectors").select("number").orderBy("number").execute();
  expect(vectors.map(({ number }) => number)).toEqual(numbers);
  const signs = await db.selectFrom("vectorSigns").select(["number", "passages"]).orderBy("number").execute();
  const signed = signs.flatMap(({ number, passages }) =>
    Array.from({ length: passages }, (_, index) => number + index),
  );
  expect(signed).toEqual(numbers);

  for (const { fileId, bytes } of documents) {
    const parts = await db
      .selectFrom("documentFileParts")
      .select("content")
      .where("fileId", "=", fileId ?? "")
      .execute();
    expect(parts.reduce((sum, { content }) => sum + content.length, 0)).toBe(bytes);
  }
  return before - chunks.length;
}

async function countRows(db: FaultSite["db"], table: "documentChunks"): Promise<number> {
  const { count } = await db
    .selectFrom(table)
    .select((x) => x.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}
