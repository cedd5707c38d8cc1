import * as contract from "@foyer/contract";
import { describe, expect, it } from "vitest";
import { describeAction, labelFor } from "./audit-labels.ts";

describe("audit log labels", () => {
  it("exist for every audited call", () => {
    const recorded = Object.values(contract).flatMap((value) => {
      if (typeof value !== "object" || !("url" in value) || value.method === "GET") return [];
      const { access } = value.config;
      const trivial: object[] = [
        contract.readConversation,
        contract.reportTyping,
        contract.reportSeen,
        contract.putMessageDraft,
        contract.updatePresence,
      ];
      const isTrivial = trivial.includes(value);
      const isUnrecorded = access === "public" || access === "user" || isTrivial;
      return isUnrecorded ? [] : [`${value.method} ${value.url}`];
    });
    expect(recorded.length).toBeGreaterThan(25);
    expect(recorded.filter((action) => labelFor(action) === action)).toEqual([]);
  });

  it("exist for every recorded read and event", () => {
    const reads = [contract.getIdentitySecret, contract.getWebhookSecret, contract.getWebhookSigningSecret];
    const actions = [...reads, contract.listPendingLinks, contract.exportVisitorData].map(
      ({ method, url }) => `${method} ${url}`,
    );
    const events = ["set-up", "sign-in", "sign-in-failed", "sign-out", "accept-invitation", "reset-password"];
    expect([...actions, ...events].filter((action) => labelFor(action) === action)).toEqual([]);
  });

  it.each<[string, object | null, string]>([
    ["PATCH /agents/:id", null, "Updated agent NAME"],
    ["POST /agents/:id/tests/run", null, "Ran the tests of NAME"],
    ["POST /agents/:id/versions/:version/restore", { version: 2 }, "Restored version 2 of NAME"],
    ["POST /agents/:id/versions/:version/restore", null, "Restored an earlier version of NAME"],
    ["POST /agents/:id/trash", null, "Moved agent NAME to the trash"],
    ["DELETE /canned-replies/:id", null, "Deleted canned reply NAME"],
    ["GET /tools/:id/webhook-secret", null, "Viewed the signing secret of NAME"],
  ])("of %s with the details %j read “%s %s”", (action, details, text) => {
    const [before, after] = describeAction({ action, details });
    expect(`${before}NAME${after}`).toBe(text);
  });

  it.each([
    ["trash", 2, "Moved 2 documents to the trash"],
    ["delete", 1, "Deleted 1 document"],
    ["retry", 3, "Processed 3 documents again"],
  ])("say what a bulk action did to documents: %s", (action, count, text) => {
    expect(describeAction({ action: "POST /documents/bulk", details: { action, count } }).join("")).toBe(text);
  });

  it("show unknown actions unchanged", () => {
    expect(labelFor("POST /from/a/later/version")).toBe("POST /from/a/later/version");
  });
});
