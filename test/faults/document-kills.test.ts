import { expect, it } from "vitest";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, type FaultSite, preload } from "./fault-site.ts";

type Listed = { documents: Array<{ id: string; state: string; chunks: number }> };

const points = [
  { at: "document.committed", isKept: true },
  { at: "document.indexing", isKept: true },
];
const morePoints = [
  { at: "document.committing", isKept: false },
  { at: "document.extracted", isKept: true },
  { at: "document.claimed", isKept: true },
  { at: "document.indexed", isKept: true },
];
const text = {
  kind: "text",
  title: "Prices",
  text: "# City\n\nA city bike costs 20 € a day.\n\n# Cargo\n\nA cargo bike costs 35 €.",
};

it.each(faultRun.isLong ? [...points, ...morePoints] : points)(
  "a document is neither lost nor indexed twice by a process killed at $at",
  { timeout: faultRun.timeout },
  async ({ at, isKept }) => {
    for (const database of faultRun.databases) {
      const site = await createFaultSite(database);
      try {
        await createAndDie(site, at);
        expect(await site.db.selectFrom("documents").select("id").execute()).toHaveLength(isKept ? 1 : 0);
        await site.db.updateTable("documentJobs").set({ dueAt: 0 }).execute();
        await site.serveHere(async (next) => {
          // The client that got no response repeats its request. Content that was already stored is not stored twice.
          const [agent] = (await call<{ data: Array<{ id: string }> }>(next, "GET", "/agents")).data;
          await call(next, "POST", "/documents", { agentId: agent?.id, ...text });
          const list = () => call<Listed>(next, "GET", "/documents");
          await expect.poll(async () => (await list()).documents.map(({ state }) => state)).toEqual(["ready"]);
          const chunks = await site.db
            .selectFrom("documentChunks")
            .select(["documentId", "ordinal"])
            .orderBy("ordinal")
            .execute();
          const [document] = (await list()).documents;
          expect(chunks).toEqual([0, 1].map((ordinal) => ({ documentId: document?.id, ordinal })));
          expect(await site.db.selectFrom("documentJobs").select("documentId").execute()).toEqual([]);
        });
      } finally {
        await site.remove();
      }
    }
  },
);

/** Creates a document on a server that is killed while it does so, or while it processes it. */
async function createAndDie(site: FaultSite, at: string): Promise<void> {
  const doomed = await site.start({ preload: preload("kill"), env: { FOYER_FAULT_AT: at } });
  const agent = await call<{ data: { id: string } }>(doomed, "POST", "/agents", { name: "Harbour" });
  await call(doomed, "POST", "/documents", { agentId: agent.data.id, ...text }).catch(() => {});
  expect((await doomed.exited).signal).toBe("SIGKILL");
  await site.allGone();
}
