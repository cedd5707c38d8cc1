import { expect, it, onTestFinished } from "vitest";
import { page, startSite } from "../site-server.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, preload } from "./fault-site.ts";

type Sources = { sources: Array<{ state: string; error: unknown; pages: Record<string, number> }> };
type Documents = { documents: Array<{ url: string; state: string }> };

const points = [{ at: "site.page.recorded:2" }];
const morePoints = [{ at: "site.discovered" }, { at: "site.page.stored:2" }, { at: "site.counted" }];

it.each(faultRun.isLong ? [...points, ...morePoints] : points)(
  "a sync killed at $at is continued by the next process without adding a page twice",
  { timeout: faultRun.timeout },
  async ({ at }) => {
    const shop = await startSite({
      "/": page("Start", "Start.", ["/a", "/b"]),
      "/a": page("A", "Text of A."),
      "/b": page("B", "Text of B."),
    });
    onTestFinished(() => shop.stop());
    for (const database of faultRun.databases) {
      const site = await createFaultSite(database);
      try {
        const doomed = await site.start({ preload: preload("kill"), env: { FOYER_FAULT_AT: at } });
        const agent = await call<{ data: { id: string } }>(doomed, "POST", "/agents", { name: "Harbour" });
        const input = { agentId: agent.data.id, url: shop.url, schedule: "manual" };
        await call(doomed, "POST", "/sources", input).catch(() => {});
        expect((await doomed.exited).signal).toBe("SIGKILL");
        await site.allGone();
        await site.db.updateTable("sources").set({ dueAt: 0 }).execute();
        await site.db.updateTable("documentJobs").set({ dueAt: 0 }).execute();
        await site.serveHere(async (next) => {
          const source = async () => (await call<Sources>(next, "GET", "/sources")).sources[0];
          await expect.poll(source).toMatchObject({ state: "idle", error: null, pages: { read: 3, pending: 0 } });
          const documents = async () =>
            (await call<Documents>(next, "GET", "/documents")).documents
              .map(({ url, state }) => `${new URL(url).pathname} ${state}`)
              .sort();
          await expect.poll(documents).toEqual(["/ ready", "/a ready", "/b ready"]);
        });
      } finally {
        await site.remove();
      }
    }
  },
);
