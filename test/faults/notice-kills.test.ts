import { describe, expect, it } from "vitest";
import { insertConversation } from "../conversation-seed.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, preload } from "./fault-site.ts";

/** Where the process dies, whether the request is stored, and how many times its notice then arrives in total. */
const points = [
  { at: "notice.committed", isKept: true, notices: 1 },
  { at: "delivery.sent", isKept: true, notices: 2 },
];
const morePoints = [
  { at: "notice.recorded", isKept: false, notices: 1 },
  { at: "delivery.sending", isKept: true, notices: 1 },
  { at: "delivery.recorded", isKept: true, notices: 1 },
];
const { timeout, isLong } = faultRun;

describe.each(faultRun.databases)("a process killed on %s", { timeout }, (database) => {
  it.each(isLong ? [...points, ...morePoints] : points)(
    "at $at leaves no request for a person without a notice",
    async ({ at, isKept, notices }) => {
      const site = await createFaultSite(database);
      try {
        const doomed = await site.start({ preload: preload("kill"), env: { FOYER_FAULT_AT: at } });
        const settings = { name: "Harbour", handoff: { isEnabled: true } };
        const { data: agent } = await call<{ data: { id: string } }>(doomed, "POST", "/agents", settings);
        const channel = { kind: "webhook", name: "Support", url: `${site.receiver.url}/chat` };
        await call(doomed, "POST", "/notice-channels", channel);
        const { id: organizationId } = await site.db.selectFrom("organizations").select("id").executeTakeFirstOrThrow();
        const from = { organizationId, agentId: agent.id };
        const id = await insertConversation(site.db, from, {}, [{ content: "Hello?" }]);
        const ask = { reason: "My invoice is wrong" };
        // The process may respond first, and die while it sends the notice.
        await call(doomed, "POST", `/conversations/${id}/handoff`, ask).catch(() => {});
        expect((await doomed.exited).signal).toBe("SIGKILL");
        await site.allGone();
        await site.receiver.settled();
        expect(await site.db.selectFrom("handoffs").select("conversationId").execute()).toEqual(
          isKept ? [{ conversationId: id }] : [],
        );

        await site.endLeases();
        const next = await site.start();
        await call(next, "POST", `/conversations/${id}/handoff`, ask);
        const pending = site.db.selectFrom("deliveries").select("id").where("state", "=", "pending");
        await expect.poll(() => pending.execute()).toEqual([]);
        expect(site.receiver.bodies("/chat")).toHaveLength(notices);
        expect(await site.db.selectFrom("handoffs").select("conversationId").execute()).toEqual([
          { conversationId: id },
        ]);
        next.kill("SIGTERM");
        expect((await next.exited).code).toBe(0);
      } finally {
        await site.remove();
      }
    },
  );
});
