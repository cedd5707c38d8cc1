import { describe, expect, it } from "vitest";
import { insertConversation } from "../conversation-seed.ts";
import { startSmtpServer } from "../smtp-server.ts";
import { faultRun } from "./fault-run.ts";
import { call, createFaultSite, preload } from "./fault-site.ts";

const { timeout, isLong } = faultRun;

describe.each(faultRun.databases)("a process killed on %s", { timeout }, (database) => {
  it.each(isLong ? ["delivery.sending", "delivery.sent", "delivery.recorded"] : ["delivery.sent"])(
    "at %s asks the visitor for a rating by email exactly once",
    async (at) => {
      const site = await createFaultSite(database);
      const smtp = await startSmtpServer();
      const env = { SMTP_URL: smtp.url };
      try {
        const first = await site.start({ env });
        const settings = { name: "Harbour", handoff: { isEnabled: true }, askRating: "all" };
        const { data: agent } = await call<{ data: { id: string } }>(first, "POST", "/agents", settings);
        const { id: organizationId } = await site.db.selectFrom("organizations").select("id").executeTakeFirstOrThrow();
        const from = { organizationId, agentId: agent.id };
        const id = await insertConversation(site.db, from, {}, [{ content: "Hello?" }]);
        await call(first, "POST", `/conversations/${id}/handoff`, { email: "visitor@example.com" });
        await call(first, "POST", `/conversations/${id}/resolve`);
        const pending = site.db.selectFrom("deliveries").select("id").where("state", "=", "pending");
        await expect.poll(() => pending.execute()).toEqual([]);
        first.kill("SIGTERM");
        await first.exited;

        await site.db.updateTable("handoffTimers").set({ dueAt: 0 }).where("kind", "=", "rating").execute();
        const doomed = await site.start({ preload: preload("kill"), env: { ...env, FOYER_FAULT_AT: at } });
        expect((await doomed.exited).signal).toBe("SIGKILL");
        await site.allGone();
        await site.endLeases();
        const next = await site.start({ env });
        await expect.poll(() => pending.execute()).toEqual([]);
        expect(smtp.mails().filter(({ to }) => to.includes("visitor@example.com"))).toHaveLength(1);
        next.kill("SIGTERM");
        await next.exited;
      } finally {
        await site.remove();
        await smtp.close();
      }
    },
  );
});
