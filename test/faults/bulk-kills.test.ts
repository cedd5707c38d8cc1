import { describe, expect, it } from "vitest";
import { newId } from "../../packages/server/src/ids.ts";
import { insertConversation } from "../conversation-seed.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, preload } from "./fault-site.ts";

const { timeout } = faultRun;
const COUNT = 60;

describe.each(faultRun.databases)("a process killed in a bulk action on %s", { timeout }, (database) => {
  it("leaves the rest to the next one, which assigns no conversation twice and can undo everything", async () => {
    const site = await createFaultSite(database);
    try {
      const doomed = await site.start({ preload: preload("kill"), env: { FOYER_FAULT_AT: "bulk.changed:30" } });
      const { data: agent } = await call<{ data: { id: string } }>(doomed, "POST", "/agents", { name: "Harbour" });
      const member = await site.db.selectFrom("members").select(["organizationId", "userId"]).executeTakeFirstOrThrow();
      const { organizationId, userId } = member;
      const insert = () =>
        insertConversation(site.db, { organizationId, agentId: agent.id }, {}, [{ content: "Hello?" }]);
      for (let index = 0; index < COUNT; index++) await insert();
      const id = newId("bulk");
      await site.db
        .insertInto("bulkActions")
        .values({
          id,
          organizationId,
          userId,
          change: JSON.stringify({ action: "assign", userId }),
          selection: JSON.stringify({ agentId: agent.id }),
          state: "collecting",
          isUndoRequested: 0,
          lastCollected: null,
          total: 0,
          done: 0,
          skipped: 0,
          undone: 0,
          failures: 0,
          createdAt: Date.now(),
          finishedAt: null,
          dueAt: 0,
          fence: 0,
        })
        .execute();
      expect((await doomed.exited).signal).toBe("SIGKILL");
      await site.allGone();
      const late = await insert();
      const endLease = () => site.db.updateTable("bulkActions").set({ dueAt: 0 }).where("id", "=", id).execute();
      const stateOf = async () =>
        (await site.db.selectFrom("bulkActions").select("state").where("id", "=", id).executeTakeFirstOrThrow()).state;
      const ownersOf = async () =>
        site.db.selectFrom("conversations").select(["id", "epoch", "assigneeId"]).where("id", "<>", late).execute();
      await endLease();
      const next = await site.start();
      await expect.poll(stateOf, { timeout: 30_000 }).toBe("done");
      const assigned = await ownersOf();
      expect(assigned.filter((row) => row.assigneeId === userId && row.epoch === 1)).toHaveLength(COUNT);
      const { done } = await site.db.selectFrom("bulkActions").select("done").executeTakeFirstOrThrow();
      expect(done).toBe(COUNT);
      await site.db
        .updateTable("bulkActions")
        .set({ isUndoRequested: 1, state: "undoing", finishedAt: null, dueAt: 0 })
        .where("id", "=", id)
        .execute();
      await expect.poll(stateOf, { timeout: 30_000 }).toBe("undone");
      expect((await ownersOf()).filter(({ assigneeId }) => assigneeId !== null)).toEqual([]);
      next.kill("SIGTERM");
      expect((await next.exited).code).toBe(0);
    } finally {
      await site.remove();
    }
  });
});
